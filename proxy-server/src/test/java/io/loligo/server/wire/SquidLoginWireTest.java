package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The same rules about users in this proxy and in Squid: status, challenge and user in the log are
 * the same. Skipped, visibly, if Squid is absent or lacks basic_ncsa_auth.
 */
class SquidLoginWireTest extends WireTest {
  private static final List<String> RULES =
      List.of(
          "/a allow users",
          "/b allow bob",
          "/b deny all",
          "/c deny !bob",
          "/c allow all",
          "/d allow bob",
          "/d deny bob",
          "/e deny users",
          "/f allow !users",
          "/f deny group",
          "/g allow regex here",
          "/h allow users elsewhere",
          "/h deny all",
          "/i deny bobandhere",
          "/i allow all",
          "/j allow elsewhere bob",
          "/k deny once",
          "/k allow users",
          "/l allow required",
          "/l deny all",
          "/m allow icase",
          "/n deny tunnel");

  private static final List<String> LOGINS =
      List.of(
          "",
          "bob:secret",
          "alice:wonder",
          "bob:wrong",
          "Bob:secret",
          "nobody:x",
          "carl:capital",
          "bob:",
          "bob");

  private static final List<String> VALUES =
      List.of("Digest username=\"bob\"", "Basic !!!!", "basic  Ym9iOnNlY3JldA==", "Negotiate x");

  private List<String> lines(Path users) {
    List<String> lines = new ArrayList<>();
    lines.add("auth_param basic program /usr/lib/squid/basic_ncsa_auth " + users);
    lines.add("auth_param basic children 2 startup=1");
    lines.add("auth_param basic realm the office");
    lines.add("acl users proxy_auth REQUIRED");
    lines.add("acl bob proxy_auth bob");
    lines.add("acl icase proxy_auth -i BOB");
    lines.add("acl required proxy_auth alice REQUIRED");
    lines.add("acl regex proxy_auth_regex -i ^BO");
    lines.add("acl once max_user_ip 1");
    lines.add("acl here src 127.0.0.1");
    lines.add("acl elsewhere src 192.0.2.1");
    lines.add("acl bobandhere all-of bob here");
    lines.add("acl tunnel method CONNECT");
    lines.add("acl a_path urlpath_regex ^/f");
    lines.add("acl group any-of elsewhere bob a_path");
    for (String rule : RULES) {
      String[] words = rule.split(" ", 3);
      String name = "path" + words[0].charAt(1);
      String acl = "acl " + name + " urlpath_regex ^" + words[0];
      if (!lines.contains(acl)) {
        lines.add(acl);
      }
      lines.add("http_access " + words[1] + " " + name + " " + words[2]);
    }
    lines.add("http_access allow bob");
    lines.add("logformat user %un %>Hs %rm %ru");
    lines.add("cache deny all");
    return lines;
  }

  @Test
  void asksTheSameClientsForALogin() throws Exception {
    readable(dir);
    Path users =
        LoginFile.write(dir.resolve("users"), "bob:secret", "alice:wonder", "Carl:capital");
    origin.otherwise(call -> call.ok("content"));
    List<String> lines = lines(users);
    int squidPort = ProxyProcess.freePort();
    List<String> squids = new ArrayList<>(lines);
    Path squidLog = dir.resolve("squid").resolve("users.log");
    squids.add("access_log stdio:" + squidLog + " user");
    List<String> ours = new ArrayList<>(lines);
    ours.add("access_log stdio:" + dir.resolve("users.log") + " user");
    List<String> expected = new ArrayList<>();
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + squidPort), squids)) {
      squid.awaitPort(squidPort);
      startProxy(ours.toArray(String[]::new));
      for (String value : values()) {
        for (char path = 'a'; path <= 'o'; path++) {
          String theirs = ask(squidPort, "/" + path, value);
          assertThat(ask(proxy.port(), "/" + path, value))
              .as("%s of /%s", value, path)
              .isEqualTo(theirs);
          expected.add(theirs);
        }
      }
    }
    assertThat(expected).anyMatch(one -> one.startsWith("407")).anyMatch("403 []"::equals);
    List<String> theirLog = new ArrayList<>(Files.readAllLines(squidLog, ISO_8859_1));
    // connections that only asked whether the port is open
    theirLog.removeIf(line -> line.contains(" error:"));
    assertThat(stopAndReadLog("users.log")).isEqualTo(theirLog);
  }

  private static List<String> values() {
    List<String> values = new ArrayList<>(VALUES);
    LOGINS.forEach(login -> values.add(login.isEmpty() ? "" : LoginFile.basic(login)));
    return values;
  }

  private String ask(int port, String path, String value) throws IOException {
    String[] lines =
        value.isEmpty() ? new String[0] : new String[] {"Proxy-Authorization: " + value};
    try (RawClient client = RawClient.connect(port)) {
      WireMessage response = client.get(origin.url(path), lines).response();
      return response.status() + " " + response.fields("Proxy-Authenticate");
    }
  }

  private static Path readable(Path path) {
    path.toFile().setReadable(true, false);
    path.toFile().setExecutable(true, false);
    return path;
  }
}
