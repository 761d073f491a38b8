# The installed libraries: libcone, and libcone_lab for simulations and studies, each an archive, headers in
# include/cone and targets for find_package(cone). The program with its manual pages and completions is a
# separate component.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Makes a library of the modules of a folder.
function(cone_add_library target type name folder)
  add_library(${target} ${type})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} UNITY_BUILD OFF LINKER_LANGUAGE CXX)
  get_property(modules DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} PROPERTY CONE_MODULES)
  foreach(module IN LISTS modules)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:cone_${module}>)
  endforeach()
endfunction()

set(CONE_LIBRARIES PUBLIC nlohmann_json::nlohmann_json fmt::fmt Threads::Threads
                   PRIVATE PkgConfig::OPENBLAS lapacke OpenMP::OpenMP_CXX PkgConfig::LIBZIP
                           ZLIB::ZLIB PkgConfig::HWY PkgConfig::XXHASH ${CMAKE_DL_LIBS})
cone_add_library(cone_library STATIC cone src)
set_target_properties(cone_library PROPERTIES EXPORT_NAME cone)
target_include_directories(cone_library INTERFACE
                           $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(cone_library INTERFACE cxx_std_20)
target_link_libraries(cone_library ${CONE_LIBRARIES})
cone_add_library(cone_lab_library STATIC cone_lab lab)
set_target_properties(cone_lab_library PROPERTIES EXPORT_NAME lab)
target_include_directories(cone_lab_library INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/lab/include>)
target_link_libraries(cone_lab_library PUBLIC cone_library)

# One copy of the code for program and Python package where both are installed together.
set(CONE_LINKED cone_study)
if(CONE_SHARED_LIBRARY)
  cone_add_library(cone_shared SHARED cone src)
  target_include_directories(cone_shared PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(cone_shared ${CONE_LIBRARIES})
  cone_add_library(cone_lab_shared SHARED cone_lab lab)
  target_include_directories(cone_lab_shared PUBLIC ${CMAKE_SOURCE_DIR}/lab/include ${CMAKE_SOURCE_DIR}/lab)
  target_link_libraries(cone_lab_shared PUBLIC cone_shared)
  set(CONE_LINKED cone_lab_shared)
endif()
target_link_libraries(cone_app PRIVATE ${CONE_LINKED})
target_link_libraries(cone PRIVATE ${CONE_LINKED})
if(CONE_PETSC)
  target_link_libraries(cone_petsc PRIVATE ${CONE_LINKED})
endif()

function(cone_install_library target component export headers)
  install(TARGETS ${target} EXPORT ${export} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT ${component})
  install(DIRECTORY ${headers}/cone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${component})
  install(EXPORT ${export} NAMESPACE cone:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cone
          COMPONENT ${component})
endfunction()
cone_install_library(cone_library development coneTargets ${CMAKE_SOURCE_DIR}/include)
cone_install_library(cone_lab_library lab coneLabTargets ${CMAKE_SOURCE_DIR}/lab/include)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/coneConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/coneConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cone)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/coneConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/coneConfig.cmake ${CMAKE_BINARY_DIR}/coneConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cone COMPONENT development)

install(TARGETS cone RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# Manual pages and completions are generated from the program's help at every build; not under a
# sanitizer, which is slow and never installed.
if(NOT CONE_SANITIZE)
  set(CONE_SHARE ${CMAKE_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${CONE_SHARE}/written
                     COMMAND ${CMAKE_COMMAND} -E rm -rf ${CONE_SHARE}
                     COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/write_manual.py
                             $<TARGET_FILE:cone> ${CONE_SHARE}
                     COMMAND ${CMAKE_COMMAND} -E touch ${CONE_SHARE}/written
                     DEPENDS cone ${CMAKE_SOURCE_DIR}/scripts/write_manual.py VERBATIM)
  add_custom_target(cone_manual ALL DEPENDS ${CONE_SHARE}/written)
  install(DIRECTORY ${CONE_SHARE}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${CONE_SHARE}/completions/cone COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${CONE_SHARE}/completions/_cone COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${CONE_SHARE}/completions/cone.fish COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
