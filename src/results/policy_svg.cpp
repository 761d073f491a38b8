#include <algorithm>

#include <fmt/format.h>

#include "cone/output.hpp"
#include "cone/text.hpp"

namespace cone {
namespace {

constexpr int kBoxWidth = 180;
constexpr int kBoxHeight = 46;
constexpr int kColumnWidth = 200;
constexpr int kLevelHeight = 100;
constexpr int kMargin = 20;
constexpr std::size_t kLongestName = 24;

std::string escape_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A name cut to the width of a box; the title of the box has all of it.
std::string fit_name(const std::string& name) { return escape_xml(printable(name, kLongestName)); }

/// Draws a tree from the leaves up: leaves side by side, a split above the middle of its two
/// subtrees.
class Drawing {
 public:
  explicit Drawing(const LearntPolicy& policy) : policy_(policy) {}

  std::string draw() {
    draw_node(0, 0);
    const int width = 2 * kMargin + kColumnWidth * num_leaves_;
    const int height = 2 * kMargin + kLevelHeight * depth_ + kBoxHeight;
    return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" )"
                       R"(viewBox="0 0 {0} {1}" font-family="sans-serif" font-size="13">)"
                       "\n"
                       R"(<rect width="100%" height="100%" fill="#fff"/>)"
                       "\n",
                       width, height) +
           lines_ + boxes_ + "</svg>\n";
  }

 private:
  struct Point {
    double x, y;
  };

  Point draw_node(std::size_t at, int level) {
    const RuleNode& node = policy_.tree.nodes[at];
    depth_ = std::max(depth_, level);
    const double y = kMargin + kLevelHeight * level;
    if (node.is_leaf()) {
      const Point here{kMargin + kColumnWidth * (num_leaves_++ + 0.5), y};
      add_leaf(node, here);
      return here;
    }
    const Point left = draw_node(static_cast<std::size_t>(node.left), level + 1);
    const Point right = draw_node(static_cast<std::size_t>(node.right), level + 1);
    const Point here{(left.x + right.x) / 2, y};
    add_line(here, left, "yes");
    add_line(here, right, "no");
    const std::string& name = policy_.columns[static_cast<std::size_t>(node.column)];
    add_box(here, "#eef3fb", fit_name(name), "&lt;= " + threshold_text(node) + " ?",
            escape_xml(printable(name, 1000)));
    return here;
  }

  void add_leaf(const RuleNode& node, Point here) {
    const double share = static_cast<double>(node.num_nodes) /
                         static_cast<double>(policy_.tree.nodes.front().num_nodes);
    const std::string& label = policy_.arms[node.arm];
    add_box(here, node.arm == kControlArm ? "#f4f4f4" : "#dff0d8", "assign " + fit_name(label),
            fmt::format("{} nodes ({:.1f} %)", grouped(node.num_nodes), 100 * share),
            escape_xml(printable(label, 1000)));
  }

  void add_box(Point here, const char* fill, const std::string& first, const std::string& second,
               const std::string& title) {
    boxes_ += fmt::format(
        R"(<g><title>{}</title><rect x="{}" y="{}" width="{}" height="{}" rx="6" fill="{}" )"
        R"(stroke="#555"/>)",
        title, here.x - kBoxWidth / 2.0, here.y, kBoxWidth, kBoxHeight, fill);
    boxes_ += text_at(here.x, here.y + 19, first) + text_at(here.x, here.y + 37, second) + "</g>\n";
  }

  void add_line(Point from, Point to, const char* answer) {
    const double bottom = from.y + kBoxHeight;
    lines_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="#555"/>)", from.x,
                          bottom, to.x, to.y);
    const double shift = to.x < from.x ? -14 : 14;
    lines_ += text_at((from.x + to.x) / 2 + shift, (bottom + to.y) / 2, answer) + "\n";
  }

  static std::string text_at(double x, double y, const std::string& text) {
    return fmt::format(R"(<text x="{}" y="{}" text-anchor="middle" fill="#222">{}</text>)", x, y,
                       text);
  }

  const LearntPolicy& policy_;
  int num_leaves_ = 0;
  int depth_ = 0;
  std::string lines_;
  std::string boxes_;
};

}  // namespace

std::string rule_svg(const LearntPolicy& policy) { return Drawing(policy).draw(); }

}  // namespace cone
