package io.loligo.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclList;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which Host values name the address that was connected to. */
class AdminAccessTest {
  private final AdminAccess access =
      new AdminAccess(new AdminTerms(null, Set.of(), AclList.allowAll()), false, new AdminTls());

  @ParameterizedTest
  @CsvSource({
    "2001:db8::1, [2001:db8::1]:3129, true",
    "2001:db8::1, [2001:DB8:0:0:0:0:0:1]:3129, true",
    "2001:db8::1, [2001:db8::2], false",
    "2001:db8::1, 2001, false",
    "2001:db8::1, [::1], true",
    "2001:db8::1, [0:0:0:0:0:0:0:1], true",
    "192.0.2.1, 192.0.2.1:3129, true",
    "192.0.2.1, [::ffff:192.0.2.1], true",
    "192.0.2.1, 192.0.2.2, false",
    "192.0.2.1, 127.1.2.3, true",
    "192.0.2.1, 127.1.2.3.evil.test, false",
    "192.0.2.1, 127.0.0.999, false",
    "192.0.2.1, evil.test, false",
  })
  void comparesAddressesHoweverTheyAreWritten(String local, String host, boolean allowed)
      throws Exception {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(local), 3129);
    assertThat(access.hostAllowed(host, address)).isEqualTo(allowed);
  }
}
