package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.SharedPorts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SharedPortsTest {
  private static List<HttpPort> ports(String... lines) {
    List<HttpPort> ports = PortDirectives.ports(Configs.of(String.join("\n", lines) + "\n"));
    return ports.subList(1, ports.size()); // after that of all test configurations
  }

  /** The address of the port here that serves a request to the only port of another node. */
  private static @Nullable String served(String other, String... here) {
    HttpPort found = new SharedPorts(ports(here)).find(ports(other).get(0).sharedName());
    return found == null ? null : found.address() + ":" + found.port();
  }

  @Test
  void eachNodeHasAnAddressOfItsOwn() {
    String[] here = {"http_port 10.0.0.2:80 accel vhost", "http_port 10.0.0.2:3128"};
    assertThat(served("http_port 10.0.0.1:3128", here)).isEqualTo("10.0.0.2:3128");
    assertThat(served("http_port 3128", here)).isEqualTo("10.0.0.2:3128");
    assertThat(served("http_port 10.0.0.1:80 accel vhost", here)).isEqualTo("10.0.0.2:80");
    assertThat(served("http_port 3128", "http_port 10.0.0.2:3128 name=main"))
        .isEqualTo("10.0.0.2:3128");
  }

  @Test
  void nodesOfOneMachineDifferInTheNumber() {
    String[] here = {"http_port 81 accel vhost", "http_port 3129"};
    assertThat(served("http_port 3128", here)).isEqualTo(":3129");
    assertThat(served("http_port 80 accel vhost", here)).isEqualTo(":81");
    assertThat(served("http_port 3130 intercept", here)).isNull();
  }

  @Test
  void aNameIsTheSameOnAllNodes() {
    String[] here = {"http_port 3128", "http_port 3129 name=main"};
    assertThat(served("http_port 3128 name=main", here)).isEqualTo(":3129");
    assertThat(served("http_port 3128 name=other", here)).isNull();
    assertThat(served("http_port 3128 name=forward", here)).isNull();
  }
}
