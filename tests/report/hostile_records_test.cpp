// Records are untrusted files.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/report.hpp"

#include "report/report_pages.hpp"

namespace cone {
namespace {

using testing::count;
using testing::golden;
using testing::Json;
using testing::page_of;

TEST(ReportPage, NamesFromTheDataAreNotMarkup) {
  const std::string hostile = "</template></pre><img src=x onerror=alert(1)>'\"&\u202E";
  std::string text = dump_json(golden("messages"), -1);
  const std::string escaped_name = dump_json(Json(hostile), -1);
  std::size_t replaced = 0;
  for (std::size_t at = text.find("\"careful\""); at != text.npos;
       at = text.find("\"careful\"", at)) {
    text.replace(at, 9, escaped_name);
    ++replaced;
  }
  ASSERT_GT(replaced, 3U);
  const std::string page = page_of({parse_json(text, "", "")});
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_EQ(page.find("\u202E"), page.npos);
  EXPECT_EQ(count(page, "</template>"), 1U);
  EXPECT_NE(page.find("&lt;/template&gt;&lt;/pre&gt;&lt;img src=x"), page.npos);
  EXPECT_EQ(dump_json(read_report_records(page, "")[0].json, -1), text);
}

/// Every value of the record, as pointers into it.
void list_pointers(const Json& json, const Json::json_pointer& at,
                   std::vector<Json::json_pointer>& out) {
  if (!at.empty()) out.push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) list_pointers(value, at / key, out);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) list_pointers(json[i], at / i, out);
  }
}

TEST(ReportPage, OfADamagedRecordIsRefusedOrComplete) {
  // Copies would take as long as the pages.
  std::vector<ReportRecord> records = {{.json = golden("coupons"), .source = "run.json"}};
  Json& record = records[0].json;
  std::vector<Json::json_pointer> pointers;
  list_pointers(record, Json::json_pointer(), pointers);
  ASSERT_GT(pointers.size(), 300U);
  const std::vector<Json> damages = {nullptr,       "text",         -1e308,
                                     Json::array(), Json::object(), Json::array({nullptr, "a"})};
  std::size_t refused = 0;
  for (std::size_t i = 0; i < pointers.size(); i += 7) {
    Json whole = damages[i / 7 % damages.size()];
    std::swap(record[pointers[i]], whole);
    try {
      const std::string page = report_html(records);
      EXPECT_TRUE(page.ends_with("</html>\n")) << pointers[i].to_string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kData) << pointers[i].to_string();
      ++refused;
    }
    std::swap(record[pointers[i]], whole);
  }
  EXPECT_GT(refused, 50U);
  EXPECT_EQ(record, golden("coupons"));
}

TEST(ReportPage, SaysWhereARecordIsWrong) {
  Json record = golden("coupons");
  record["policies"][0]["estimates"][1]["value"] = "much";
  try {
    page_of({record});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("run.json (policies[0].estimates[1].value)"), 0U)
        << error.what();
  }
}

TEST(ReportPage, RefusesFilesThatAreNotRecords) {
  EXPECT_THROW(page_of({}), Error);
  EXPECT_THROW(page_of({Json::array()}), Error);
  EXPECT_THROW(page_of({Json{{"schema", 7}}}), Error);
  for (const char* bytes :
       {"", "[1,", "<!DOCTYPE html><p>a page</p>",
        "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\">",
        "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\">!!</template>",
        "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\">AAAA</template>",
        "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\"></template>"}) {
    EXPECT_THROW(read_report_records(bytes, "x"), Error) << bytes;
  }
}

TEST(ReportPage, RefusesOtherSchemasAndSaysWhatToDo) {
  const auto message_of = [](const char* schema) -> std::string {
    try {
      page_of({Json{{"schema", schema}}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kData);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of("cone.evaluation/2"),
            "run.json (schema): is cone.evaluation/2, and this version of cone reads "
            "cone.evaluation/5; run the command that wrote the record again with this version");
  EXPECT_NE(message_of("cone.evaluation/6").find("is cone.evaluation/6, and this version of cone"),
            std::string::npos);
  EXPECT_NE(message_of("cone.sensitivity/1").find("reads cone.sensitivity/2; run the command"),
            std::string::npos);
  EXPECT_NE(message_of("cone.policy/1").find("reads cone.policy/3; run the command"),
            std::string::npos);
  EXPECT_NE(message_of("cone.coverage/1").find("reads cone.coverage/2; run the command"),
            std::string::npos);
  EXPECT_EQ(message_of("cone.check/1"),
            "run.json (schema): is cone.check/1, which cone report does not read; give a record of "
            "cone evaluate, sensitivity, learn or reproduce");
}

TEST(ReportPage, RefusesListsThatAreTooLong) {
  Json record = golden("coupons");
  record["policies"] = std::vector<Json>(6000, Json::object());  // none of them is looked at
  try {
    page_of({record});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("(policies): has 6000 entries"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace cone
