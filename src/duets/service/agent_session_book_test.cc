#include "duets/service/agent_session_book.h"

#include <gtest/gtest.h>

#include "duets/service/raw_agent_test_support.h"

namespace duets::service {
namespace {

JournalAnswer answer_of(const AgentBook& book, std::uint32_t slot, double value) {
  const Query query = book.query(slot);
  return {.epoch = query.epoch,
          .slot = slot,
          .kind = JournalTrial::Kind::kValue,
          .value = value,
          .latent = query.latent};
}

// An earlier version stored values of any size: its journal still opens, and the agent continues.
TEST(AgentBook, AValueThatNoModelCanUseBecomesAHole) {
  const random::StudySecret secret = parse_secret(kTestSecret, "test");
  AgentBook book(test_definition(), base::AgentId{0}, secret.agent_coin(base::AgentId{0}),
                 secret.public_coin());
  ASSERT_EQ(book.length(), 2U);
  book.apply(answer_of(book, 0, 1e308));
  book.apply(answer_of(book, 1, 0.5));
  EXPECT_EQ(book.num_answered(), 2U);
  EXPECT_EQ(book.num_holes(), 1U);
  EXPECT_FALSE(book.has_open_slot());
}

}  // namespace
}  // namespace duets::service
