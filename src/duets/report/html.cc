#include "duets/report/html.h"

#include <algorithm>
#include <array>
#include <utility>

#include "duets/report/chart_number.h"
#include "duets/report/svg.h"

namespace duets::report {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kEntities = {
    {{"&lt;", "<"},
     {"&gt;", ">"},
     {"&quot;", "\""},
     {"&#39;", "'"},
     {"&amp;", "&"},
     {"&nbsp;", "\xC2\xA0"},
     {"&lambda;", "\xCE\xBB"},
     {"&sigma;", "\xCF\x83"},
     {"&tau;", "\xCF\x84"},
     {"&gamma;", "\xCE\xB3"}}};

}  // namespace

Markup text(std::string_view plain) { return {escape_markup(plain)}; }

Markup number(double value, int significant) { return {html_number(value, significant)}; }

Markup element(std::string_view tag, const Markup& content) {
  const std::string name(tag);
  return {"<" + name + ">" + content.html + "</" + name + ">"};
}

Markup code(std::string_view plain) { return element("code", text(plain)); }

Markup strong(const Markup& content) { return element("strong", content); }

Markup join(std::initializer_list<Markup> parts) {
  Markup out;
  for (const Markup& part : parts) out.html += part.html;
  return out;
}

std::string plain(const Markup& markup) {
  std::string out;
  for (std::string_view rest = markup.html; !rest.empty();) {
    const auto* known = std::find_if(kEntities.begin(), kEntities.end(), [&](const auto& entity) {
      return rest.starts_with(entity.first);
    });
    if (known != kEntities.end()) {
      out += known->second;
      rest.remove_prefix(known->first.size());
    } else if (rest.starts_with("<sup>")) {
      const std::size_t end = rest.find("</sup>");
      out += superscript(std::string(rest.substr(5, end - 5)));
      rest.remove_prefix(end);
    } else if (rest.front() == '<') {
      rest.remove_prefix(std::min(rest.find('>'), rest.size() - 1) + 1);
    } else {
      out += rest.front();
      rest.remove_prefix(1);
    }
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

}  // namespace duets::report
