# What `cmake --install` puts where. Editors have one copy, in share/onnxls; links are where they look.
install(TARGETS onnxls)
install(FILES docs/onnxls.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
  FILES_MATCHING PATTERN "*.md" PATTERN "*.schema.json" PATTERN "*.png")

set(share ${CMAKE_INSTALL_DATADIR}/onnxls)
install(DIRECTORY editors/neovim editors/emacs DESTINATION ${share}/editors PATTERN .gitignore EXCLUDE)
# With these :OnnxlsBuildParser and onnxls-build-parser find what they compile.
install(DIRECTORY grammar/torch-ir/src grammar/torch-ir/queries DESTINATION ${share}/grammar/torch-ir)

install(FILES editors/shell/onnxls.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME onnxls)
install(FILES editors/shell/_onnxls DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES editors/shell/onnxls.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# What editors' own package managers would make of their files.
set(made ${CMAKE_CURRENT_BINARY_DIR}/editors)
file(GLOB emacs_files CONFIGURE_DEPENDS editors/emacs/*.el)
file(MAKE_DIRECTORY ${made})
file(WRITE ${made}/onnxls-pkg.el ";;; onnxls-pkg.el --- What package.el has to know  -*- no-byte-compile: t -*-\n"
  "(define-package \"onnxls\" \"${PROJECT_VERSION}\" \"Graphs that PyTorch exports to ONNX\" '((emacs \"27.1\")))\n")
add_custom_command(
  OUTPUT ${made}/onnxls-autoloads.el
  COMMAND awk -f ${PROJECT_SOURCE_DIR}/cmake/emacs_autoloads.awk ${emacs_files} > ${made}/onnxls-autoloads.el
  DEPENDS ${emacs_files} cmake/emacs_autoloads.awk VERBATIM)
add_custom_command(
  OUTPUT ${made}/tags
  COMMAND awk -f ${PROJECT_SOURCE_DIR}/cmake/help_tags.awk ${PROJECT_SOURCE_DIR}/editors/neovim/doc/onnxls.txt
    > ${made}/tags.unsorted
  COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C sort -o ${made}/tags ${made}/tags.unsorted
  DEPENDS editors/neovim/doc/onnxls.txt cmake/help_tags.awk VERBATIM)
add_custom_target(onnxls_editor_files DEPENDS ${made}/onnxls-autoloads.el ${made}/tags)
add_dependencies(onnxls onnxls_editor_files)  # `./dev build` builds the program alone, and can be installed.
install(FILES ${made}/onnxls-autoloads.el ${made}/onnxls-pkg.el DESTINATION ${share}/editors/emacs)
install(FILES ${made}/tags DESTINATION ${share}/editors/neovim/doc)

# install_link(FOLDER NAME TARGET): FOLDER/NAME becomes a relative link to TARGET, both under the prefix.
function(install_link folder name target)
  file(RELATIVE_PATH relative /${folder} /${target})
  set(link ${made}/links/${folder}/${name})
  file(MAKE_DIRECTORY ${made}/links/${folder})
  file(CREATE_LINK ${relative} ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION ${folder})
endfunction()
install_link(${CMAKE_INSTALL_DATADIR}/nvim/site/pack/onnxls/start onnxls ${share}/editors/neovim)
install_link(${CMAKE_INSTALL_DATADIR}/emacs/site-lisp/elpa onnxls-${PROJECT_VERSION} ${share}/editors/emacs)

include(cmake/package.cmake)
