#include "duets/report/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "duets/report/chart_image.h"
#include "duets/report/chart_layers.h"
#include "duets/report/chart_legend.h"
#include "duets/report/markup_test_support.h"

namespace duets::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

Figure figure_of(Panel panel) { return {.id = "f", .title = "t", .panels = {std::move(panel)}}; }

TEST(Colour, LightnessRisesSoThatItReadsInBlackAndWhite) {
  double last = -1;
  for (int i = 0; i <= 100; ++i) {
    const Colour c = viridis(i / 100.0);
    const double light = 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue;
    EXPECT_GT(light, last - 0.5) << i << ": rounding to 8 bits may cost half a level";
    last = light;
  }
  EXPECT_EQ(to_hex(viridis(0)), "#440154");
  EXPECT_EQ(to_hex(viridis(2)), "#fde725");
}

// The check value of CRC-32 is in the IEND chunk of every PNG: AE 42 60 82.
TEST(Image, PngHasTheStructureOfOne) {
  const IndexedImage image{3, 2, {0, 1, 2, 2, 1, 0}, {{1, 2, 3}, {4, 5, 6}}};
  const std::vector<std::uint8_t> png = encode_png(image);
  const std::vector<std::uint8_t> end(png.end() - 8, png.end());
  EXPECT_EQ(end, (std::vector<std::uint8_t>{'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82}));
  const std::vector<std::uint8_t> start(png.begin(), png.begin() + 24);
  EXPECT_EQ(start, (std::vector<std::uint8_t>{0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13,
                                              'I',  'H', 'D', 'R', 0,  0,  0,  3,  0, 0, 0, 2}));
}

TEST(Image, Base64KnownAnswersOfRfc4648) {
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64({'f'}), "Zg==");
  EXPECT_EQ(base64({'f', 'o'}), "Zm8=");
  EXPECT_EQ(base64({'f', 'o', 'o', 'b', 'a', 'r'}), "Zm9vYmFy");
}

TEST(Chart, GapsSplitLinesAndLonelyPointsAreDots) {
  Panel panel;
  panel.series = {{.name = "s", .x = {0, 1, 2, 3, 4, 5, 6}, .y = {1, 2, kNan, 5, kNan, 3, 4}}};
  const std::string svg = draw_figure(figure_of(panel));
  EXPECT_EQ(markup_testing::XmlCheck(svg).problem(), std::nullopt);
  EXPECT_FALSE(markup_testing::has_non_number(svg));
  const std::size_t line = svg.find("<path d=\"M");
  const std::string data = svg.substr(line, svg.find('"', line + 10) - line);
  EXPECT_EQ(count_of(data, "M"), 2u) << "two pieces of two points";
  EXPECT_EQ(count_of(svg, "h0"), 1u) << "one dot";
}

TEST(Chart, NonPositiveNumbersAreGapsOnALogAxis) {
  Panel panel;
  panel.y.scale = Scale::kLog10;
  panel.series = {{.name = "shown", .x = {0, 1, 2}, .y = {0, 1, 10}},
                  {.name = "hidden", .x = {0, 1}, .y = {0, -1}}};
  const std::vector<LegendEntry> entries = legend_entries(panel);
  ASSERT_EQ(entries.size(), 1u) << "what is not drawn is not in the legend";
  EXPECT_EQ(entries[0].name, "shown");
  EXPECT_FALSE(markup_testing::has_non_number(draw_figure(figure_of(panel))));
}

TEST(Chart, ThinningKeepsEndsExtremesAndGaps) {
  Series series;
  for (int i = 0; i < 100000; ++i) {
    series.x.push_back(i);
    series.y.push_back(std::sin(i));
  }
  series.y[31415] = 7;
  series.y[27182] = -7;
  series.y[55555] = kNan;
  const Series thin = thinned(series);
  EXPECT_LE(thin.x.size(), 3100u) << "1000 stretches, each at most two extremes and a gap";
  EXPECT_EQ(thin.x.front(), 0);
  EXPECT_EQ(thin.x.back(), 99999);
  EXPECT_TRUE(std::is_sorted(thin.x.begin(), thin.x.end()));
  EXPECT_EQ(std::count(thin.y.begin(), thin.y.end(), 7.0), 1);
  EXPECT_EQ(std::count(thin.y.begin(), thin.y.end(), -7.0), 1);
  EXPECT_TRUE(std::any_of(thin.y.begin(), thin.y.end(), [](double y) { return std::isnan(y); }));
}

TEST(Chart, PanelsOfARowHaveTheSameHeightOfPlot) {
  Panel plain{.title = "a"};
  plain.series = {{.x = {0, 1}, .y = {0, 1}}};
  Panel named = plain;
  named.series[0].name = "a legend";
  named.note = "a note";
  const PanelSpace space =
      larger(needed_space(plain, 400, 300, true), needed_space(named, 400, 300, true));
  EXPECT_EQ(space.legend, needed_space(named, 400, 300, true).legend);
  EXPECT_GT(space.legend, needed_space(plain, 400, 300, true).legend);
  EXPECT_GT(space.note, 0);
}

TEST(Chart, LegendFitsTheWidth) {
  std::vector<LegendEntry> entries;
  for (int i = 0; i < 9; ++i) entries.push_back({.name = std::string(std::size_t(3 + 9 * i), 'm')});
  const Legend legend = layout_legend(entries, 300);
  std::size_t total = 0;
  for (const auto& row : legend.rows) {
    double width = 0;
    for (const LegendEntry& e : row) width += 26 + 6 + text_width(e.name) * 11.5;
    EXPECT_LE(width, 300);
    total += row.size();
  }
  EXPECT_EQ(total, entries.size());
}

// A name that is in a later panel only is there too.
TEST(Chart, SharedLegendHasEveryNameOnce) {
  Panel panel;
  panel.series = {{.name = "in all panels", .x = {0, 1}, .y = {0, 1}}};
  Figure figure{
      .id = "g", .columns = 4, .shared_legend = true, .panels = std::vector<Panel>(8, panel)};
  figure.panels[5].series.push_back({.name = "in one panel", .x = {0, 1}, .y = {1, 0}});
  const std::string svg = draw_figure(figure);
  EXPECT_EQ(markup_testing::XmlCheck(svg).problem(), std::nullopt);
  EXPECT_EQ(count_of(svg, "in all panels"), 1u);
  EXPECT_EQ(count_of(svg, "in one panel"), 1u);
}

TEST(Chart, IdentifiersStartWithThatOfTheFigure) {
  const std::string svg = draw_figure(figure_of({.title = "p"}));
  EXPECT_EQ(count_of(svg, " id=\""), count_of(svg, " id=\"f"));
}

}  // namespace
}  // namespace duets::report
