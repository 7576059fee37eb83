// The digests of a run, computed again from its points and records as docs/formats/messages.md
// defines them.
#include <gtest/gtest.h>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;

// The records of one epoch of a run, and the points that its agents were asked for.
struct EpochBook {
  std::vector<std::uint64_t> points;  // a digest for every agent, present or not
  EpochOpened opened;
  std::map<std::uint32_t, Message> messages;
  EpochClosed closed;
  std::vector<std::uint32_t> survivors;
};

EpochBook book_of(TestRun& run, const std::set<std::uint32_t>& excluded,
                  const std::map<std::uint32_t, std::vector<std::uint32_t>>& holes) {
  EpochBook book;
  for (std::uint32_t a = 0; a < run.study().agents; ++a) {
    book.points.push_back(points_digest(run.agent(a).plan().latents()));
  }
  book.opened = std::get<EpochOpened>(run.records().back());
  const std::size_t before = run.records().size();
  run.run_epoch(excluded, holes);
  for (std::size_t i = before; i < run.records().size(); ++i) {
    const Record& record = run.records()[i];
    if (const auto* closed = std::get_if<EpochClosed>(&record)) book.closed = *closed;
    const auto* taken = std::get_if<MessageTaken>(&record);
    if (taken == nullptr) continue;
    const auto* upload = std::get_if<Upload>(&taken->message);
    const AgentId agent =
        upload != nullptr ? upload->agent : std::get<Closing>(taken->message).agent;
    book.messages.emplace(base::value(agent), taken->message);
  }
  if (book.closed.has_trim) {
    book.survivors = run.coordinator().view().region(base::next(book.opened.epoch)).survivors();
  }
  return book;
}

base::Digest next_run_digest(const base::Digest& before, const EpochBook& book) {
  base::ByteWriter out;
  out.digest(before);
  out.u32(base::value(book.closed.epoch));
  for (const std::uint64_t digest : book.points) out.u64(digest);
  out.u32s(book.closed.participants);
  for (const std::uint32_t agent : book.closed.participants) {
    const auto* upload = std::get_if<Upload>(&book.messages.at(agent));
    out.u32s(upload != nullptr ? upload->holes : std::get<Closing>(book.messages.at(agent)).holes);
  }
  if (book.closed.has_trim) out.u32s(book.survivors);
  return base::digest_of(out.bytes());
}

base::Digest next_state_digest(const base::Digest& before, const EpochBook& book) {
  base::ByteWriter out;
  out.digest(before);
  if (book.opened.has_inducing) out.blob(encode(book.opened.inducing));
  for (const std::uint32_t agent : book.closed.participants) {
    out.blob(encode(book.messages.at(agent)));
  }
  if (book.closed.has_trim) out.blob(encode(book.closed.trim));
  return base::digest_of(out.bytes());
}

TEST(RunDigests, AreThoseOfTheFormat) {
  for (const ClosingRule closing :
       {ClosingRule::kBest, ClosingRule::kProjection, ClosingRule::kAll}) {
    for (const Domain& domain : {Domain::finite(lattice(40, 2)), Domain::box(2)}) {
      Study study = small_study(domain);
      study.closing = closing;
      TestRun run(study);
      base::Digest run_digest;
      base::Digest state_digest;
      // An absent agent and a hole; all there; an absent agent in the last epoch.
      const std::vector<EpochBook> books = {book_of(run, {1}, {{2, {0}}}), book_of(run, {}, {}),
                                            book_of(run, {0}, {{1, {1, 2}}})};
      for (const EpochBook& book : books) {
        run_digest = next_run_digest(run_digest, book);
        state_digest = next_state_digest(state_digest, book);
        EXPECT_EQ(book.closed.run_digest, run_digest);
        EXPECT_EQ(book.closed.state_digest, state_digest);
      }
      ASSERT_TRUE(run.coordinator().finished());
      EXPECT_EQ(run.coordinator().summary().run_digest(), run_digest);
      EXPECT_EQ(run.coordinator().summary().state_digest(), state_digest);
    }
  }
}

}  // namespace
}  // namespace duets::protocol
