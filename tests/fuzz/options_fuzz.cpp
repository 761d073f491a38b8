#include "cone/json.hpp"
#include "cone/options.hpp"

#include "fuzz/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cone::fuzz::accept_or_refuse([&] {
    const auto options = cone::take_options<cone::ConeOptions>(
        cone::parse_option_object(cone::fuzz::as_text(data, size), "options"), "options");
    cone::fuzz::require_that(cone::option_faults(options).empty());
  });
  return 0;
}
