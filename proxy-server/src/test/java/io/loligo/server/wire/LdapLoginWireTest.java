package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.ldap.TestDirectory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code basic_ldap_auth} inside the proxy, against a directory in memory. */
class LdapLoginWireTest extends WireTest {
  private final TestDirectory directory = new TestDirectory("localhost");

  @AfterEach
  void closeDirectory() {
    directory.close();
  }

  private void start(String server, String... more) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "auth_param basic program /not/installed/basic_ldap_auth -P -R -b dc=test -f"
                    + (" \"(uid=%s)\" -D " + TestDirectory.ACCOUNT)
                    + (" -w \"" + TestDirectory.PASSWORD + "\" " + server),
                "auth_param basic children 2 concurrency=3",
                "acl users proxy_auth REQUIRED",
                "http_access allow users"));
    lines.addAll(List.of(more));
    startProxy(lines.toArray(String[]::new));
    origin.otherwise(request -> request.ok("content"));
  }

  @ParameterizedTest
  @CsvSource({
    "bob:secret, 200",
    "bob:wrong, 407",
    "nobody:secret, 407",
    "*:secret, 407",
    "bob:, 407",
  })
  void theDirectoryDecides(String credentials, int status) throws Exception {
    start("-h 127.0.0.1:" + directory.port());
    assertThat(get("/a", LoginFile.line(credentials)).status()).isEqualTo(status);
    assertThat(get("/a", LoginFile.line("bob:secret")).status()).isEqualTo(200);
  }

  @Test
  void anAnswerIsKept() throws Exception {
    start("-h 127.0.0.1:" + directory.port());
    get("/a", LoginFile.line("bob:secret"));
    List<String> once = directory.log();
    get("/b", LoginFile.line("bob:secret"));
    assertThat(directory.log()).isEqualTo(once).hasSize(3);
  }

  @Test
  void withoutADirectoryClientsKeepTheirPasswords() throws Exception {
    int port = directory.port();
    directory.close();
    start("-h 127.0.0.1:" + port);
    assertThat(get("/a", LoginFile.line("bob:secret")).status()).isEqualTo(503);
  }

  @Test
  void theAuthorityIsThatOfTheConfiguration() throws Exception {
    String server = "-H ldaps://localhost:" + directory.tlsPort();
    start(server, "loligo_ldap_cafile " + directory.authority.write(dir, "ca.pem"));
    assertThat(get("/a", LoginFile.line("bob:secret")).status()).isEqualTo(200);
  }
}
