# How llama.cpp is compiled for the tests (build_llama.sh): about half of the time that its own Release build takes.
# Many small files that all read the same large headers become a few large ones, and only the kernels (ggml), where
# a token's time is spent, are optimised to the full; the rest stays at the -O1 of the script.
function(compile_fast)
  foreach(target llama llama-common mtmd server-context llama-server-impl)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 40)
  endforeach()
  foreach(target ggml ggml-base ggml-cpu)
    target_compile_options(${target} PRIVATE -O3)
  endforeach()
  # These define or forbid what their neighbours include.
  foreach(file common/json.cpp tools/mtmd/mtmd-helper.cpp tools/mtmd/mtmd-helper-gen.cpp)
    get_filename_component(folder "${CMAKE_SOURCE_DIR}/${file}" DIRECTORY)
    set_source_files_properties("${CMAKE_SOURCE_DIR}/${file}" DIRECTORY "${folder}"
      PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# Read by every project() of the tree; the targets exist at the end of the outermost one.
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL compile_fast)
endif()
