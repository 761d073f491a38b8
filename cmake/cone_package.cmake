# Debian packages (./dev package): cone has the program, libcone-dev the library, libcone-lab-dev simulation.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cone)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "cone developers <developers@cone.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program development lab)
set(CONE_PACKAGES cone libcone-dev libcone-lab-dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cone)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "off-policy evaluation of treatment policies on networks
This program estimates the value of a treatment policy from logged data
(treatments, outcomes, features and a network of the units), with confidence
intervals, sensitivity to unmeasured confounding, and diagnostics.")

# Dependencies of coneConfig.cmake and of the public headers.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcone-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libfmt-dev, nlohmann-json3-dev (>= 3.11), libopenblas-dev, liblapacke-dev, libhwy-dev, libxxhash-dev, libzip-dev, zlib1g-dev, pkg-config")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "off-policy evaluation on networks (headers and library)
The C++ library of the program cone: headers, a static library, and the CMake
package for find_package(cone).")

set(CPACK_DEBIAN_LAB_PACKAGE_NAME libcone-lab-dev)
set(CPACK_DEBIAN_LAB_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LAB_PACKAGE_DEPENDS "libcone-dev (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_LAB_DESCRIPTION "simulated data and studies for off-policy evaluation on networks
Headers and a static library for find_package(cone COMPONENTS lab): networks,
treatments and outcomes with known truth.")

# Debian requires licence and changelog in every package; cmake --install does not install them.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component package IN ZIP_LISTS CPACK_COMPONENTS_ALL CONE_PACKAGES)
  set(documents ${CMAKE_BINARY_DIR}/debian/${package})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/debian_changelog.in ${documents}/changelog @ONLY)
  file(ARCHIVE_CREATE OUTPUT ${documents}/changelog.gz PATHS ${documents}/changelog FORMAT raw
       COMPRESSION GZip COMPRESSION_LEVEL 9 MTIME 0)
  install(FILES ${documents}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${CMAKE_SOURCE_DIR}/cmake/debian_copyright RENAME copyright
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
