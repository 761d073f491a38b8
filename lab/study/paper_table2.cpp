#include "study/paper_table2.hpp"

#include <array>

namespace cone {
namespace {

struct PaperTable2Row {
  std::string_view method;
  std::array<PaperFigure, 4> figures;  // in the order of kSettings
};

constexpr std::array<std::string_view, 4> kSettings = {"BlogCatalog, kappa2 = 1",
                                                       "BlogCatalog, kappa2 = 2",
                                                       "Flickr, kappa2 = 1", "Flickr, kappa2 = 2"};

constexpr PaperTable2Row kRows[] = {
    {"cone", {{{0.034, 0.026}, {0.037, 0.027}, {0.014, 0.011}, {0.014, 0.012}}}},
    {"okb", {{{0.141, 0.135}, {0.150, 0.143}, {0.073, 0.063}, {0.093, 0.083}}}},
    {"ips", {{{0.042, 0.039}, {0.089, 0.074}, {0.018, 0.016}, {0.030, 0.027}}}},
    {"snips", {{{0.042, 0.038}, {0.089, 0.074}, {0.018, 0.017}, {0.029, 0.027}}}},
    {"dm_nn", {{{0.229, 0.229}, {0.241, 0.239}, {0.099, 0.097}, {0.117, 0.114}}}},
    {"dm_ols1", {{{0.302, 0.301}, {0.347, 0.346}, {0.144, 0.143}, {0.168, 0.167}}}},
    {"dm_ols2", {{{0.275, 0.274}, {0.308, 0.304}, {0.139, 0.139}, {0.162, 0.161}}}},
    {"dr_nn", {{{0.041, 0.034}, {0.071, 0.060}, {0.019, 0.018}, {0.028, 0.026}}}},
    {"dr_ols1", {{{0.042, 0.039}, {0.089, 0.074}, {0.018, 0.016}, {0.030, 0.027}}}},
    {"dr_ols2", {{{0.047, 0.041}, {0.090, 0.078}, {0.019, 0.017}, {0.031, 0.028}}}},
};

}  // namespace

std::optional<PaperFigure> paper_table2(std::string_view method, std::string_view setting) {
  for (const PaperTable2Row& row : kRows) {
    if (row.method != method) continue;
    for (std::size_t s = 0; s < kSettings.size(); ++s) {
      if (kSettings[s] == setting) return row.figures[s];
    }
  }
  return std::nullopt;
}

}  // namespace cone
