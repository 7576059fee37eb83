# duets_proto: the generated classes of proto/duets/v1, the only generated code of the project.

set(proto_source ${PROJECT_SOURCE_DIR}/proto/duets/v1/duets.proto)
set(proto_dir ${PROJECT_BINARY_DIR}/proto)
set(proto_files)
foreach(kind pb grpc.pb)
  foreach(suffix h cc)
    list(APPEND proto_files ${proto_dir}/duets/v1/duets.${kind}.${suffix})
  endforeach()
endforeach()
file(MAKE_DIRECTORY ${proto_dir})
add_custom_command(OUTPUT ${proto_files}
  COMMAND protobuf::protoc -I ${PROJECT_SOURCE_DIR}/proto --cpp_out=${proto_dir}
    --grpc_out=${proto_dir} --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>
    ${proto_source}
  DEPENDS ${proto_source} COMMENT "Generating the wire classes" VERBATIM)
add_library(duets_proto STATIC ${proto_files})
# SYSTEM: our warnings are not meant for generated code.
target_include_directories(duets_proto SYSTEM PUBLIC
  $<BUILD_INTERFACE:${proto_dir}> $<INSTALL_INTERFACE:include>)
target_link_libraries(duets_proto PUBLIC duets_compiler protobuf::libprotobuf gRPC::grpc++)
