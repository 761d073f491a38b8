#include <string>
#include <vector>

#include "cone/report.hpp"

#include "fuzz/outcome.hpp"

// Untrusted records and pages: the result is a page or a fault of the data.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cone::fuzz::accept_or_refuse([&] {
    const std::vector<cone::ReportRecord> records =
        cone::read_report_records(cone::fuzz::as_text(data, size), "input");
    const std::string page = cone::report_html(records);
    cone::fuzz::require_that(page.find("<script") == page.npos);
    // The record inside gives the same page again.
    cone::fuzz::require_that(cone::report_html(cone::read_report_records(page, "page")) == page);
  });
  return 0;
}
