package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.loligo.server.ldap.TestDirectory;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An office with users and groups in a directory: the same lines and requests in this proxy and in
 * Squid, whose programs ask the same directory. Status, challenge, the fields that the origin gets,
 * and user, result code and hierarchy code in the log are the same. Skipped, visibly, if Squid or
 * its programs for LDAP are absent.
 */
class LdapOfficeBesideSquidTest extends WireTest {
  private static final String LIB = "/usr/lib/squid/";

  private static final List<String> LOGINS =
      List.of(
          "",
          "bob:secret",
          "eve:s3",
          "j\u00fcrgen:gr\u00fcn",
          "bob:wrong",
          "bob:",
          "BOB:secret",
          "nobody:x",
          "*:secret",
          "bob)(uid=*:secret",
          "b%6fb:secret",
          "bob\\:secret",
          "OFFICE\\bob:secret",
          "bob,ou=people:secret",
          "bob eve:secret",
          ":secret");

  private static final List<String> PATHS =
      List.of("/open", "/intranet", "/news", "/downloads", "/files", "/broken", "/other");

  private final TestDirectory directory = new TestDirectory("localhost");

  @AfterEach
  void closeDirectory() {
    directory.close();
  }

  private List<String> lines(int unused) {
    String server =
        (" -D " + TestDirectory.ACCOUNT + " -w \"" + TestDirectory.PASSWORD + "\" -R")
            + (" -H ldap://127.0.0.1:" + directory.port());
    String groups = LIB + "ext_ldap_group_acl -b ou=groups,dc=test -f ";
    return new ArrayList<>(
        List.of(
            "auth_param basic program "
                + (LIB + "basic_ldap_auth -b dc=test -f \"(uid=%s)\"" + server),
            "auth_param basic children 3 startup=1 idle=1",
            "auth_param basic realm the office",
            "auth_param basic credentialsttl 1 minute",
            "external_acl_type by_entry ttl=60 negative_ttl=60 children-max=3 %LOGIN "
                + (groups + "\"(&(cn=%g)(member=%u))\" -B ou=people,dc=test -F \"(uid=%s)\"")
                + server,
            "external_acl_type by_name ttl=60 children-max=3 %LOGIN "
                + (groups + "\"(&(cn=%g)(memberUid=%u))\"" + server),
            "external_acl_type gone ttl=60 children-max=1 %LOGIN "
                + (groups + "\"(cn=%g)\" -R -c 1 -H ldap://127.0.0.1:" + unused),
            "acl users proxy_auth REQUIRED",
            "acl nobody external gone staff",
            "acl broken urlpath_regex ^/broken",
            "acl staff external by_entry staff",
            "acl guests external by_name guests",
            "acl known_by_entry external by_entry nosuch staff",
            "acl known any-of known_by_entry guests",
            "acl open urlpath_regex ^/open",
            "acl intranet urlpath_regex ^/intranet",
            "acl news urlpath_regex ^/news",
            "acl downloads urlpath_regex ^/downloads",
            "acl files urlpath_regex ^/files",
            "http_access allow open",
            "http_access deny !users",
            "http_access allow intranet known",
            "http_access allow news guests",
            "http_access deny news",
            "http_access deny downloads !staff",
            "http_access deny broken !nobody",
            "http_access allow files staff guests",
            "http_access deny files staff",
            "http_access allow staff",
            "http_access deny all",
            "logformat user %un %Ss/%>Hs %Sh %rm %ru",
            "cache deny all"));
  }

  @Test
  void theSameUsersMayUseIt() throws Exception {
    for (String program : List.of("basic_ldap_auth", "ext_ldap_group_acl")) {
      assumeThat(Files.isExecutable(Path.of(LIB, program))).as(program).isTrue();
    }
    origin.otherwise(call -> call.ok("content"));
    int port = ProxyProcess.freePort();
    Path log = dir.resolve("squid").resolve("users.log");
    int unused = ProxyProcess.freePort();
    List<String> squids = lines(unused);
    squids.add("access_log stdio:" + log + " user");
    List<String> expected;
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), squids)) {
      squid.awaitPort(port);
      expected = askAll(port);
    }
    assertThat(directory.log()).as("Squid's programs ask it").isNotEmpty();
    List<String> ours = lines(unused);
    ours.add("access_log stdio:" + dir.resolve("users.log") + " user");
    startProxy(ours.toArray(String[]::new));
    assertThat(askAll(proxy.port())).isEqualTo(expected);
    assertThat(expected)
        .contains(
            "bob:secret /intranet 200 []",
            "eve:s3 /intranet 200 []",
            "bob:secret /news 403 []",
            "eve:s3 /news 200 []",
            "bob:secret /downloads 200 []",
            "eve:s3 /other 403 []")
        .anyMatch(line -> line.matches("GET /intranet HTTP/1.1 .*x-forwarded-for: 127.0.0.1"));
    List<String> theirs = new ArrayList<>(Files.readAllLines(log, ISO_8859_1));
    theirs.removeIf(
        line -> line.startsWith("- NONE_NONE/0")); // only asked whether the port is open
    assertThat(plain(stopAndReadLog("users.log"))).isEqualTo(plain(theirs));
  }

  /** The lines with names as they are: this proxy writes some of their bytes as {@code %XX}. */
  private static List<String> plain(List<String> log) {
    return log.stream().map(line -> URLDecoder.decode(line, ISO_8859_1)).toList();
  }

  private List<String> askAll(int port) throws IOException {
    List<String> told = new ArrayList<>();
    for (String login : LOGINS) {
      byte[] clear = login.getBytes(UTF_8);
      String value = "Basic " + Base64.getEncoder().encodeToString(clear);
      String[] lines =
          login.isEmpty() ? new String[0] : new String[] {"Proxy-Authorization: " + value};
      for (String path : PATHS) {
        int before = origin.requests().size();
        try (RawClient client = RawClient.connect(port)) {
          WireMessage response = client.get(origin.url(path), lines).response();
          told.add(
              login
                  + (" " + path + " " + response.status() + " ")
                  + response.fields("Proxy-Authenticate"));
          told.addAll(ComparedRequests.since(origin, before));
        }
      }
    }
    return told;
  }
}
