// SPDX-License-Identifier: BSD-3-Clause
// Connections that never say who they are.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "impi/server/server.h"

namespace tessera::impi {
namespace {

TEST(Silence, EndsTheConnectionAndNotTheServer) {  // req impi 2.17
  std::string said;
  ServerOptions options;
  options.address = "127.0.0.1";
  options.authentication_s = 0.01;
  options.admission.credentials.none = true;
  options.say = [&](const std::string& text) { said += text; };
  Server server(std::move(options));
  ASSERT_TRUE(server.open().ok());
  Ending ending = Ending::finished;
  std::thread serving([&] { ending = server.run(); });
  const auto address = resolve(server.address());
  const int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(connect(stranger, address.value().get(), address.value().size), 0);
  char byte = 0;
  EXPECT_EQ(recv(stranger, &byte, 1, 0), 0);
  close(stranger);
  server.stop();
  serving.join();
  EXPECT_EQ(ending, Ending::stopped);
  EXPECT_NE(said.find("did not say who it is within 0.01 s"), std::string::npos) << said;
}

}  // namespace
}  // namespace tessera::impi
