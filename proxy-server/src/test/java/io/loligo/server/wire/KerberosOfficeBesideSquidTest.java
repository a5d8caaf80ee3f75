package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.loligo.server.ldap.TestDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An office whose users log in with Kerberos and have groups in a directory: the same lines, keytab
 * and requests in this proxy and in Squid, whose programs check the tokens of the same KDC and ask
 * the same directory. Status, challenge, the fields that the origin gets, and user, result code and
 * hierarchy code in the log are the same. Skipped, visibly, if Squid or its programs are absent.
 */
class KerberosOfficeBesideSquidTest extends WireTest {
  private static final String LIB = "/usr/lib/squid/";

  /**
   * Each line is a connection; each word of it a request: a path, or {@code CONNECT}, and behind
   * {@code =} its credentials.
   */
  private static final List<String> CONNECTIONS =
      List.of(
          "/open",
          "/intranet /intranet /intranet=bob /intranet /news /downloads /other",
          "/open /open=alice /open",
          "/intranet=bob",
          "/news=bob",
          "/downloads=bob",
          "/files=bob",
          "/desk=bob",
          "/other=bob",
          "/intranet=alice",
          "/news=alice",
          "/downloads=alice",
          "/files=alice",
          "/desk=alice",
          "/other=alice",
          "/intranet=bob,kerberos",
          "CONNECT",
          "CONNECT=bob",
          "CONNECT=alice",
          "CONNECT=again",
          "/intranet=again",
          "/open=again",
          "/intranet=other",
          "/intranet=cut",
          "/intranet=damaged",
          "/intranet=AAAA",
          "/intranet=YIIB",
          "/intranet=TlRMTVNTUAABAAAA",
          "/intranet=basic");

  private TestKdc kdc;

  /** The last token of bob that a proxy has accepted. */
  private String accepted;

  private List<String> lines(Path keytab, TestDirectory directory) {
    return new ArrayList<>(
        List.of(
            "auth_param negotiate program "
                + (LIB + "negotiate_kerberos_auth -k " + keytab + " -s " + TestKdc.SERVICE),
            "auth_param negotiate children 2 startup=1 idle=1",
            "external_acl_type groups ttl=60 negative_ttl=60 children-max=1 %LOGIN "
                + (LIB + "ext_ldap_group_acl -K -R -b ou=groups,dc=test")
                + " -f \"(&(cn=%g)(member=%u))\" -B ou=people,dc=test -F \"(uid=%s)\""
                + (" -D " + TestDirectory.ACCOUNT + " -w \"" + TestDirectory.PASSWORD + "\"")
                + (" -H ldap://127.0.0.1:" + directory.port()),
            "acl users proxy_auth REQUIRED",
            "acl alice proxy_auth alice@" + TestKdc.REALM,
            "acl staff external groups staff",
            "acl open urlpath_regex ^/open",
            "acl intranet urlpath_regex ^/intranet",
            "acl news urlpath_regex ^/news",
            "acl downloads urlpath_regex ^/downloads",
            "acl files urlpath_regex ^/files",
            "acl desk urlpath_regex ^/desk",
            "acl tunnel method CONNECT",
            "http_access allow open",
            "http_access deny !users",
            "http_access allow intranet staff",
            "http_access deny intranet",
            "http_access deny downloads !staff",
            "http_access deny files alice",
            "http_access deny desk alice all",
            "http_access allow tunnel staff",
            "http_access deny tunnel",
            "http_access deny !intranet !news !downloads !files !desk",
            "http_access allow all",
            "logformat user %un %Ss/%>Hs %Sh %rm %ru",
            "cache deny all"));
  }

  @Test
  void theSameUsersMayUseIt(@TempDir Path keys) throws Exception {
    for (String program : List.of("negotiate_kerberos_auth", "ext_ldap_group_acl")) {
      assumeThat(Files.isExecutable(Path.of(LIB, program))).as(program).isTrue();
    }
    origin.otherwise(call -> call.ok("content"));
    TestDirectory directory = closing(new TestDirectory("localhost"));
    kdc = closing(new TestKdc(keys));
    Path keytab = kdc.keytab(TestKdc.SERVICE);
    Path library = kdc.libraryConfiguration();
    readable(keys, keytab, library);
    int port = ProxyProcess.freePort();
    Path log = dir.resolve("squid").resolve("users.log");
    List<String> squids = lines(keytab, directory);
    squids.add("access_log stdio:" + log + " user");
    List<String> environment =
        List.of("KRB5_CONFIG=" + library, "KRB5RCACHEDIR=" + dir.resolve("squid"));
    List<String> expected;
    try (ProxyProcess squid =
        SquidProcess.startIn(environment, dir, List.of("http_port 127.0.0.1:" + port), squids)) {
      squid.awaitPort(port);
      expected = askAll(port);
    }
    List<String> ours = lines(keytab, directory);
    ours.add("access_log stdio:" + dir.resolve("users.log") + " user");
    startProxy(ours.toArray(String[]::new));
    assertThat(askAll(proxy.port())).isEqualTo(expected);
    assertThat(expected)
        .contains(
            "/intranet 407 [Negotiate]",
            "/intranet=bob 200 []",
            "/intranet=alice 403 []",
            "/files=alice 407 [Negotiate]",
            "/desk=alice 403 []",
            "CONNECT=bob 200 []",
            "/intranet=again 407 [Negotiate]",
            "/intranet=cut 407 [Negotiate]")
        .anyMatch(line -> line.matches("GET /intranet HTTP/1.1 .*x-forwarded-for: 127.0.0.1"));
    List<String> theirs = new ArrayList<>(Files.readAllLines(log, ISO_8859_1));
    theirs.removeIf(line -> line.startsWith("- NONE_NONE/0")); // whether the port is open
    assertThat(stopAndReadLog("users.log")).isEqualTo(theirs);
  }

  private static void readable(Path... paths) {
    for (Path path : paths) {
      path.toFile().setReadable(true, false);
      path.toFile().setExecutable(Files.isDirectory(path), false);
    }
  }

  private List<String> askAll(int port) throws Exception {
    List<String> told = new ArrayList<>();
    for (String connection : CONNECTIONS) {
      try (RawClient client = RawClient.connect(port)) {
        for (String request : connection.split(" ", -1)) {
          int before = origin.requests().size();
          told.add(request + " " + ask(client, request));
          told.addAll(ComparedRequests.since(origin, before));
        }
      } catch (IOException e) {
        throw new IOException("no answer on the connection " + connection, e);
      }
    }
    return told;
  }

  private String ask(RawClient client, String request) throws Exception {
    String[] words = request.split("=", 2);
    String[] lines =
        words.length == 1
            ? new String[0]
            : new String[] {"Proxy-Authorization: " + credentials(words[1])};
    if (!words[0].equals("CONNECT")) {
      return told(client.get(origin.url(words[0]), lines).response().head());
    }
    String fields = lines.length == 0 ? "" : lines[0] + "\r\n";
    String authority = origin.authority();
    client.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n" + fields);
    client.send("\r\n");
    String head = client.responseHead();
    if (WireMessage.status(head) == 200) {
      client.halfClose();
      client.untilClose(); // it is logged before the next request
    }
    return told(head);
  }

  /** Status and challenge. Squid sends a last token to a denied user; it is left out. */
  private static String told(String head) {
    String challenges = WireMessage.fields(head, "Proxy-Authenticate").toString();
    return WireMessage.status(head)
        + " "
        + challenges.replaceFirst("Negotiate oY\\S+]", "Negotiate]");
  }

  private String credentials(String kind) throws Exception {
    if (kind.equals("basic")) {
      return LoginFile.basic("bob:secret");
    }
    return "Negotiate "
        + switch (kind) {
          case "bob" -> {
            accepted = kdc.token("bob", TestKdc.SPNEGO);
            yield accepted;
          }
          case "bob,kerberos" -> kdc.token("bob", TestKdc.KERBEROS);
          case "alice" -> kdc.token("alice", TestKdc.SPNEGO);
          case "again" -> accepted;
          case "other" -> kdc.token("bob", TestKdc.SPNEGO, TestKdc.OTHER_SERVICE);
          case "cut" -> kdc.token("bob", TestKdc.SPNEGO).substring(0, 400);
          case "damaged" -> damaged(kdc.token("bob", TestKdc.SPNEGO));
          default -> kind;
        };
  }

  /** The token with another digit in what the key of the service protects. */
  private static String damaged(String token) {
    int at = token.length() - 40;
    return token.substring(0, at) + (token.charAt(at) == 'A' ? 'B' : 'A') + token.substring(at + 1);
  }
}
