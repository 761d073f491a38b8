#include "report/table.hpp"

namespace cone::report {

Table::Table(std::vector<std::string> titles, bool is_text)
    : titles_(std::move(titles)), is_text_(is_text) {}

void Table::add_row(const std::vector<std::string>& cells) {
  std::vector<Html> safe;
  safe.reserve(cells.size());
  for (const std::string& cell : cells) safe.push_back(Html::text(cell));
  add_row(safe);
}

void Table::add_row(const std::vector<Html>& cells) {
  // HTML allows leaving out the closing tags of cells and rows, of which a report has thousands.
  rows_ += html("<tr>");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    rows_ += i == 0 ? html("<th>{}", cells[i]) : html("<td>{}", cells[i]);
  }
  rows_ += html("\n");
}

Html Table::finish(std::string_view name) const {
  Html head;
  for (const std::string& title : titles_) head += html("<th scope=col>{}", title);
  return html(
      R"(<div class="scroll" role="region" aria-label="{}" tabindex="0"><table{}><thead><tr>{})"
      "\n<tbody>{}</table></div>\n",
      name, is_text_ ? html(R"( class="words")") : Html(), head, rows_);
}

Html figure(std::string_view caption, const Html& chart, const Html& table, bool has_left) {
  return figure(caption, Html(), chart, table, has_left);
}

Html figure(std::string_view caption, const Html& words, const Html& chart, const Html& table,
            bool has_left) {
  return html(
      "<figure><figcaption>{}</figcaption>\n{}<div class=\"{}\">{}</div>\n"
      "<details><summary>Numbers</summary>{}</details></figure>\n",
      caption, words, has_left ? html("plot wide-left") : html("plot"), chart, table);
}

}  // namespace cone::report
