#include "duets/lab/published.h"

namespace duets::lab {
namespace {

constexpr PublishedPoint kH1RegretNKernelUCB[] = {
    {5, 26.7},   {9, 43.2},   {10, 47.7},  {11, 50.5},  {12, 53.9},  {13, 56.9},
    {20, 77.6},  {21, 80},    {22, 82.9},  {30, 104.6}, {34, 114.9}, {35, 117.6},
    {36, 120.2}, {40, 128.1}, {45, 138.7}, {49, 148.2}};
constexpr PublishedPoint kH1RegretDisKernelUCB[] = {{3, 17.9},  {9, 28.8},  {12, 36.1},
                                                    {30, 65.2}, {34, 72.5}, {36, 74}};
constexpr PublishedPoint kH1RegretDUETS[] = {
    {3, 12.9}, {9, 34.3},  {10, 36.7}, {11, 39.6}, {13, 42},   {20, 50},   {21, 51.4},
    {22, 53},  {30, 62.8}, {34, 68.4}, {35, 69},   {36, 69.3}, {40, 71.3}, {45, 74}};
constexpr PublishedPoint kH2RegretNKernelUCB[] = {
    {1, 22.3},   {2, 28.1},   {5, 42.6},   {9, 56.6},  {10, 58.6},  {11, 60},
    {13, 63.5},  {20, 79.3},  {21, 83.4},  {22, 85.7}, {30, 114.1}, {34, 127.3},
    {35, 130.1}, {36, 133.4}, {40, 147.5}, {45, 167}};
constexpr PublishedPoint kH2RegretDisKernelUCB[] = {{2, 31.8}, {13, 45.5}, {34, 112.3}};
constexpr PublishedPoint kH2RegretDUETS[] = {
    {1, 25},    {2, 25.8},  {3, 26.6},  {5, 28.5},  {10, 33.2}, {11, 34.2}, {13, 35},
    {20, 37.3}, {21, 37.7}, {30, 40.6}, {34, 41.8}, {35, 42.2}, {36, 42.2}, {45, 43.9}};
constexpr PublishedPoint kBraninRegretNKernelUCB[] = {
    {5, 67.6},   {9, 117.1},  {10, 128.8}, {11, 140.9}, {12, 150.9},
    {13, 160.5}, {20, 215.4}, {21, 223.6}, {22, 229.9}, {30, 270.6},
    {34, 283.3}, {35, 286.6}, {36, 289.7}, {40, 302.6}, {45, 321.3}};
constexpr PublishedPoint kBraninRegretDisKernelUCB[] = {
    {9, 98.4}, {12, 118.9}, {20, 154.8}, {34, 196.7}, {45, 221.5}};
constexpr PublishedPoint kBraninRegretApproxDisKernelUCB[] = {{13, 126.7}};
constexpr PublishedPoint kBraninRegretDUETS[] = {
    {0, 13},    {1, 24.7},  {3, 30.2},  {5, 36.2},  {9, 47.1}, {10, 49.8}, {11, 52.2}, {12, 53.4},
    {13, 54.6}, {30, 71.2}, {34, 74.8}, {35, 75.4}, {36, 76},  {40, 77.8}, {45, 80.3}};
constexpr PublishedPoint kHartmann4RegretNKernelUCB[] = {
    {3, 120.4},  {5, 182.7},  {9, 302},    {10, 330.6},  {11, 361.2}, {12, 387.8},
    {13, 416.3}, {20, 596.9}, {21, 624.5}, {22, 649},    {30, 829.6}, {34, 899},
    {35, 912.2}, {36, 925.5}, {40, 970.4}, {45, 1014.3}, {49, 1042.9}};
constexpr PublishedPoint kHartmann4RegretDisKernelUCB[] = {
    {2, 83.7}, {3, 110.2}, {5, 165.3}, {10, 251}};
constexpr PublishedPoint kHartmann4RegretApproxDisKernelUCB[] = {{9, 242.9}};
constexpr PublishedPoint kHartmann4RegretDUETS[] = {
    {3, 98},     {5, 136.7},  {9, 194.9},  {10, 207.1}, {11, 220.4}, {12, 232.7},
    {13, 248},   {20, 341.8}, {21, 344.9}, {22, 345.9}, {30, 367.3}, {34, 377.6},
    {35, 379.6}, {36, 381.6}, {40, 391.8}, {45, 406.1}};
constexpr PublishedPoint kH1CommunicationNKernelUCB[] = {
    {10, 10.2}, {11, 10.2}, {12, 10.2}, {13, 10.2}, {20, 10.2}, {21, 10.2}, {22, 10.2},
    {30, 10.2}, {34, 10.2}, {35, 10.2}, {36, 10.2}, {40, 10.2}, {45, 10.2}};
constexpr PublishedPoint kH1CommunicationDisKernelUCB[] = {{2, 345.5}, {5, 670.7}, {45, 4857.7}};
constexpr PublishedPoint kH1CommunicationApproxDisKernelUCB[] = {{40, 2093.5}};
constexpr PublishedPoint kH1CommunicationDUETS[] = {
    {1, 40.7},    {11, 376},    {12, 1209.3}, {13, 1219.5}, {20, 1219.5},
    {34, 1392.3}, {35, 2886.2}, {36, 2886.2}, {40, 2876},   {45, 2886.2}};
constexpr PublishedPoint kH2CommunicationNKernelUCB[] = {
    {10, 0},   {11, 6.4}, {12, 6.4}, {13, 6.4}, {20, 6.4}, {21, 6.4}, {22, 6.4},
    {30, 6.4}, {34, 6.4}, {35, 6.4}, {36, 6.4}, {40, 6.4}, {45, 6.4}};
constexpr PublishedPoint kH2CommunicationDisKernelUCB[] = {
    {5, 375.5}, {10, 1209.1}, {20, 2100}, {21, 2112.7}, {22, 2532.7}, {45, 4938.2}};
constexpr PublishedPoint kH2CommunicationDUETS[] = {
    {2, 203.6},  {12, 674.5}, {13, 680.9},  {20, 680.9},  {21, 680.9},  {22, 680.9},
    {30, 680.9}, {34, 731.8}, {35, 1164.5}, {36, 1170.9}, {40, 1170.9}, {45, 1170.9}};
constexpr PublishedPoint kBraninCommunicationNKernelUCB[] = {
    {10, 0},   {11, 6.4}, {12, 6.4}, {13, 6.4}, {20, 6.4}, {21, 6.4}, {22, 6.4},
    {30, 6.4}, {34, 6.4}, {35, 6.4}, {36, 6.4}, {40, 6.4}, {45, 6.4}};
constexpr PublishedPoint kBraninCommunicationDisKernelUCB[] = {
    {10, 301.8}, {35, 963.3}, {40, 1168.8}};
constexpr PublishedPoint kBraninCommunicationDUETS[] = {
    {2, 147.7},  {3, 147.7},  {5, 147.7},  {10, 147.7}, {11, 154.1}, {12, 321.1},
    {13, 327.5}, {20, 327.5}, {21, 327.5}, {22, 327.5}, {30, 327.5}, {34, 346.8},
    {35, 558.7}, {36, 558.7}, {40, 558.7}, {45, 558.7}};
constexpr PublishedPoint kHartmann4CommunicationNKernelUCB[] = {
    {10, 0},   {11, 2.1}, {12, 2.1}, {13, 2.1}, {20, 2.1}, {21, 2.1}, {22, 2.1},
    {30, 2.1}, {34, 2.1}, {35, 2.1}, {36, 2.1}, {40, 2.1}, {45, 2.1}};
constexpr PublishedPoint kHartmann4CommunicationDisKernelUCB[] = {
    {30, 1200.9}, {34, 1382.3}, {35, 1602}, {36, 1602}};
constexpr PublishedPoint kHartmann4CommunicationApproxDisKernelUCB[] = {{10, 1306.5}};
constexpr PublishedPoint kHartmann4CommunicationDUETS[] = {
    {5, 501.3},   {9, 503.4},   {10, 503.4},  {11, 503.4},  {20, 529},
    {21, 1335.3}, {22, 1337.5}, {30, 1337.5}, {34, 1337.5}, {35, 1337.5},
    {36, 1337.5}, {40, 1337.5}, {45, 1337.5}};

constexpr PublishedCurve kCurves[] = {
    {"h1", "regret", "N-KernelUCB", kH1RegretNKernelUCB},
    {"h1", "regret", "DisKernelUCB", kH1RegretDisKernelUCB},
    {"h1", "regret", "DUETS", kH1RegretDUETS},
    {"h2", "regret", "N-KernelUCB", kH2RegretNKernelUCB},
    {"h2", "regret", "DisKernelUCB", kH2RegretDisKernelUCB},
    {"h2", "regret", "DUETS", kH2RegretDUETS},
    {"branin", "regret", "N-KernelUCB", kBraninRegretNKernelUCB},
    {"branin", "regret", "DisKernelUCB", kBraninRegretDisKernelUCB},
    {"branin", "regret", "ApproxDisKernelUCB", kBraninRegretApproxDisKernelUCB},
    {"branin", "regret", "DUETS", kBraninRegretDUETS},
    {"hartmann4", "regret", "N-KernelUCB", kHartmann4RegretNKernelUCB},
    {"hartmann4", "regret", "DisKernelUCB", kHartmann4RegretDisKernelUCB},
    {"hartmann4", "regret", "ApproxDisKernelUCB", kHartmann4RegretApproxDisKernelUCB},
    {"hartmann4", "regret", "DUETS", kHartmann4RegretDUETS},
    {"h1", "communication", "N-KernelUCB", kH1CommunicationNKernelUCB},
    {"h1", "communication", "DisKernelUCB", kH1CommunicationDisKernelUCB},
    {"h1", "communication", "ApproxDisKernelUCB", kH1CommunicationApproxDisKernelUCB},
    {"h1", "communication", "DUETS", kH1CommunicationDUETS},
    {"h2", "communication", "N-KernelUCB", kH2CommunicationNKernelUCB},
    {"h2", "communication", "DisKernelUCB", kH2CommunicationDisKernelUCB},
    {"h2", "communication", "DUETS", kH2CommunicationDUETS},
    {"branin", "communication", "N-KernelUCB", kBraninCommunicationNKernelUCB},
    {"branin", "communication", "DisKernelUCB", kBraninCommunicationDisKernelUCB},
    {"branin", "communication", "DUETS", kBraninCommunicationDUETS},
    {"hartmann4", "communication", "N-KernelUCB", kHartmann4CommunicationNKernelUCB},
    {"hartmann4", "communication", "DisKernelUCB", kHartmann4CommunicationDisKernelUCB},
    {"hartmann4", "communication", "ApproxDisKernelUCB", kHartmann4CommunicationApproxDisKernelUCB},
    {"hartmann4", "communication", "DUETS", kHartmann4CommunicationDUETS},
};

constexpr PublishedFinal kFinals[] = {
    {"h1", "N-KernelUCB", 148, 0},
    {"h1", "DisKernelUCB", 96, 5340},
    {"h1", "ApproxDisKernelUCB", 139, 7780},
    {"h1", "DUETS", 76, 2870},
    {"h2", "N-KernelUCB", 182, 0},
    {"h2", "DisKernelUCB", 163, 5370},
    {"h2", "ApproxDisKernelUCB", 220, 4080},
    {"h2", "DUETS", 44.5, 1164},
    {"branin", "N-KernelUCB", 334, 0},
    {"branin", "DisKernelUCB", 228, 1365},
    {"branin", "ApproxDisKernelUCB", 266, 3870},
    {"branin", "DUETS", 82, 552},
    {"hartmann4", "N-KernelUCB", 1043, 0},
    {"hartmann4", "DisKernelUCB", 598, 2140},
    {"hartmann4", "ApproxDisKernelUCB", 950, 1335},
    {"hartmann4", "DUETS", 415, 1335},
};

}  // namespace

std::span<const PublishedCurve> published_curves() { return kCurves; }

std::span<const PublishedFinal> published_finals() { return kFinals; }

const PublishedFinal* published_final(std::string_view function, std::string_view algorithm) {
  for (const PublishedFinal& f : kFinals) {
    if (f.function == function && f.algorithm == algorithm) return &f;
  }
  return nullptr;
}

}  // namespace duets::lab
