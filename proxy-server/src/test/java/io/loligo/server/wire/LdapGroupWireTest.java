package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.ldap.TestDirectory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ext_ldap_group_acl} inside the proxy, against a directory in memory. */
class LdapGroupWireTest extends WireTest {
  private final TestDirectory directory = new TestDirectory("localhost");

  @AfterEach
  void closeDirectory() {
    directory.close();
  }

  private List<String> lines(String port, String options) {
    String account = " -D " + TestDirectory.ACCOUNT + " -w \"" + TestDirectory.PASSWORD + "\"";
    return new ArrayList<>(
        List.of(
            "auth_param basic program /x/basic_ldap_auth -b dc=test -f uid=%s"
                + (account + " -h 127.0.0.1:" + directory.port()),
            "external_acl_type g "
                + options
                + " %LOGIN /x/ext_ldap_group_acl"
                + " -b ou=groups,dc=test -f \"(&(cn=%g)(member=%u))\" -B ou=people,dc=test"
                + (" -F \"(uid=%s)\"" + account + " -h 127.0.0.1:" + port),
            "acl staff external g guests staff",
            "http_access allow staff",
            "http_access deny all"));
  }

  private void start(String port, String options) throws Exception {
    startProxy(lines(port, options).toArray(String[]::new));
    origin.otherwise(request -> request.ok("content"));
  }

  private int status(String login) throws Exception {
    return get("/a", LoginFile.line(login)).status();
  }

  @ParameterizedTest
  @CsvSource({"bob:secret, 200", "eve:s3, 403", "bob:wrong, 407"})
  void theGroupDecides(String login, int status) throws Exception {
    start("" + directory.port(), "children-max=2 concurrency=4");
    assertThat(status(login)).isEqualTo(status);
    assertThat(status("bob:secret")).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({"ttl=60, bob:secret, 0", "ttl=0, bob:secret, 3", "negative_ttl=0, eve:s3, 3"})
  void answersAreKeptAsThoseOfAProgram(String option, String login, int searches) throws Exception {
    start("" + directory.port(), option);
    status(login);
    int before = directory.log().size();
    status(login);
    assertThat(directory.log()).hasSize(before + searches);
  }

  @Test
  void withoutADirectoryNobodyIsAllowed() throws Exception {
    TestDirectory gone = new TestDirectory("localhost");
    int port = gone.port();
    gone.close();
    start("" + port, "ttl=60");
    assertThat(status("bob:secret")).as("as in Squid, another user may try").isEqualTo(407);
  }
}
