#pragma once

#include <array>
#include <string_view>

namespace cone::load {

/// Letters of the Latin, Greek and Cyrillic blocks of Unicode that have their own code point and
/// can also be written as a base letter followed by a combining mark: composed[k] is base[k] with
/// the mark.
struct ComposedLetters {
  char32_t mark;
  std::u16string_view base;
  std::u16string_view composed;
};

// clang-format off
inline constexpr std::array<ComposedLetters, 25> kComposedLetters = {{
    {0x0300,
         u"AEIOUaeiouÜüNnЕИеиĒēŌōWwÂâĂăÊêÔôƠơƯưYy",
         u"ÀÈÌÒÙàèìòùǛǜǸǹЀЍѐѝḔḕṐṑẀẁẦầẰằỀềỒồỜờỪừỲỳ"},
    {0x0301,
         u"AEIOUYaeiouyCcLlNnRrSsZzÜüGgÅåÆæØøΑΕΗΙΟΥΩϊαεηιϋουωГКгкÇçĒēÏï"
         u"KkMmÕõŌōPpŨũWwÂâĂăÊêÔôƠơƯư",
         u"ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźǗǘǴǵǺǻǼǽǾǿΆΈΉΊΌΎΏΐάέήίΰόύώЃЌѓќḈḉḖḗḮḯ"
         u"ḰḱḾḿṌṍṒṓṔṕṸṹẂẃẤấẮắẾếỐốỚớỨứ"},
    {0x0302,
         u"AEIOUaeiouCcGgHhJjSsWwYyZzẠạẸẹỌọ",
         u"ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑẬậỆệỘộ"},
    {0x0303,
         u"ANOanoIiUuVvÂâĂăEeÊêÔôƠơƯưYy",
         u"ÃÑÕãñõĨĩŨũṼṽẪẫẴẵẼẽỄễỖỗỠỡỮữỸỹ"},
    {0x0304,
         u"AaEeIiOoUuÜüÄäȦȧÆæǪǫÖöÕõȮȯYyИиУуGgḶḷṚṛ",
         u"ĀāĒēĪīŌōŪūǕǖǞǟǠǡǢǣǬǭȪȫȬȭȰȱȲȳӢӣӮӯḠḡḸḹṜṝ"},
    {0x0306,
         u"AaEeGgIiOoUuУИиуЖжАаЕеȨȩẠạ",
         u"ĂăĔĕĞğĬĭŎŏŬŭЎЙйўӁӂӐӑӖӗḜḝẶặ"},
    {0x0307,
         u"CcEeGgIZzAaOoBbDdFfHhMmNnPpRrSsŚśŠšṢṣTtWwXxYyſ",
         u"ĊċĖėĠġİŻżȦȧȮȯḂḃḊḋḞḟḢḣṀṁṄṅṖṗṘṙṠṡṤṥṦṧṨṩṪṫẆẇẊẋẎẏẛ"},
    {0x0308,
         u"AEIOUaeiouyYΙΥιυЕІеіАаӘәЖжЗзИиОоӨөЭэУуЧчЫыHhÕõŪūWwXxt",
         u"ÄËÏÖÜäëïöüÿŸΪΫϊϋЁЇёїӒӓӚӛӜӝӞӟӤӥӦӧӪӫӬӭӰӱӴӵӸӹḦḧṎṏṺṻẄẅẌẍẗ"},
    {0x0309,
         u"AaÂâĂăEeÊêIiOoÔôƠơUuƯưYy",
         u"ẢảẨẩẲẳẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ"},
    {0x030A,
         u"AaUuwy",
         u"ÅåŮůẘẙ"},
    {0x030B,
         u"OoUuУу",
         u"ŐőŰűӲӳ"},
    {0x030C,
         u"CcDdEeLlNnRrSsTtZzAaIiOoUuÜüGgKkƷʒjHh",
         u"ČčĎďĚěĽľŇňŘřŠšŤťŽžǍǎǏǐǑǒǓǔǙǚǦǧǨǩǮǯǰȞȟ"},
    {0x030F,
         u"AaEeIiOoRrUuѴѵ",
         u"ȀȁȄȅȈȉȌȍȐȑȔȕѶѷ"},
    {0x0311,
         u"AaEeIiOoRrUu",
         u"ȂȃȆȇȊȋȎȏȒȓȖȗ"},
    {0x031B,
         u"OoUu",
         u"ƠơƯư"},
    {0x0323,
         u"BbDdHhKkLlMmNnRrSsTtVvWwZzAaEeIiOoƠơUuƯưYy",
         u"ḄḅḌḍḤḥḲḳḶḷṂṃṆṇṚṛṢṣṬṭṾṿẈẉẒẓẠạẸẹỊịỌọỢợỤụỰựỴỵ"},
    {0x0324,
         u"Uu",
         u"Ṳṳ"},
    {0x0325,
         u"Aa",
         u"Ḁḁ"},
    {0x0326,
         u"SsTt",
         u"ȘșȚț"},
    {0x0327,
         u"CcGgKkLlNnRrSsTtEeDdHh",
         u"ÇçĢģĶķĻļŅņŖŗŞşŢţȨȩḐḑḨḩ"},
    {0x0328,
         u"AaEeIiUuOo",
         u"ĄąĘęĮįŲųǪǫ"},
    {0x032D,
         u"DdEeLlNnTtUu",
         u"ḒḓḘḙḼḽṊṋṰṱṶṷ"},
    {0x032E,
         u"Hh",
         u"Ḫḫ"},
    {0x0330,
         u"EeIiUu",
         u"ḚḛḬḭṴṵ"},
    {0x0331,
         u"BbDdKkLlNnRrTtZzh",
         u"ḆḇḎḏḴḵḺḻṈṉṞṟṮṯẔẕẖ"},
}};
// clang-format on

}  // namespace cone::load
