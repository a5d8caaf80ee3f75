package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.login.digest.DigestAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The same requests with Digest and Basic to this proxy and to Squid: status, challenges and user
 * in the log are the same, except that Squid offers no SHA-256. Skipped, visibly, if Squid is
 * absent.
 */
class SquidDigestWireTest extends WireTest {
  private List<String> lines(Path digest, Path basic) {
    List<String> lines = new ArrayList<>();
    lines.add("auth_param digest program /usr/lib/squid/digest_file_auth " + digest);
    lines.add("auth_param digest children 2 startup=1");
    lines.add("auth_param digest realm the office");
    lines.add("auth_param digest nonce_max_count 4");
    lines.add("auth_param basic program /usr/lib/squid/basic_ncsa_auth " + basic);
    lines.add("auth_param basic children 2 startup=1");
    lines.add("auth_param basic realm the office");
    lines.add("acl users proxy_auth REQUIRED");
    lines.add("acl boss proxy_auth alice");
    lines.add("acl onlyboss urlpath_regex ^/boss");
    lines.add("acl old browser ^Old");
    lines.add("auth_schemes basic old");
    lines.add("http_access allow onlyboss boss");
    lines.add("http_access deny onlyboss");
    lines.add("http_access allow users");
    lines.add("http_access deny all");
    lines.add("logformat user %un %>Hs %rm %ru");
    lines.add("cache deny all");
    return lines;
  }

  @Test
  void answersAsSquid() throws Exception {
    dir.toFile().setReadable(true, false);
    dir.toFile().setExecutable(true, false);
    Path digest = Files.writeString(dir.resolve("digest"), "bob:secret\nalice:wonder\n");
    digest.toFile().setReadable(true, false);
    Path basic = LoginFile.write(dir.resolve("basic"), "bob:secret");
    origin.otherwise(call -> call.ok("content"));
    List<String> lines = lines(digest, basic);
    int squidPort = ProxyProcess.freePort();
    Path squidLog = dir.resolve("squid").resolve("users.log");
    List<String> squids = new ArrayList<>(lines);
    squids.add("access_log stdio:" + squidLog + " user");
    List<String> ours = new ArrayList<>(lines);
    ours.add("access_log stdio:" + dir.resolve("users.log") + " user");
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + squidPort), squids)) {
      squid.awaitPort(squidPort);
      startProxy(ours.toArray(String[]::new));
      assertThat(conversation(proxy.port())).isEqualTo(conversation(squidPort));
    }
    List<String> theirLog = new ArrayList<>(Files.readAllLines(squidLog, ISO_8859_1));
    // connections that only asked whether the port is open
    theirLog.removeIf(line -> line.contains(" error:"));
    assertThat(stopAndReadLog("users.log")).isEqualTo(theirLog);
  }

  private List<String> conversation(int port) throws IOException {
    List<String> told = new ArrayList<>();
    WireMessage challenge = ask(told, port, "/a", "");
    DigestClient bob =
        new DigestClient("bob", "secret").challengedBy(challenge, DigestAlgorithm.MD5);
    ask(told, port, "/a", bob.credentials("GET", "/a"));
    String second = bob.credentials("GET", "/b");
    ask(told, port, "/b", second);
    bob.challengedBy(ask(told, port, "/a", ""), DigestAlgorithm.MD5);
    for (int i = 0; i < 4; i++) {
      ask(told, port, "/c", bob.credentials("GET", "/c"));
    }
    ask(told, port, "/a", login(port, "bob", "wrong"));
    ask(told, port, "/a", login(port, "carl", "secret"));
    ask(told, port, "/boss", login(port, "bob", "secret", "/boss"));
    ask(told, port, "/boss", login(port, "alice", "wonder", "/boss"));
    ask(told, port, "/a", login(port, "bob", "secret").replaceAll("nonce=\"\\w", "nonce=\"z"));
    ask(told, port, "/a", login(port, "bob", "secret").replaceAll("qop=auth", "qop=auth-int"));
    ask(told, port, "/a", login(port, "bob", "secret").replaceAll("nc=\\w*", "nc=1"));
    ask(told, port, "/a", login(port, "bob", "secret").replaceAll(", cnonce=\"cn\"", ""));
    ask(
        told,
        port,
        "/a",
        login(port, "bob", "secret").replaceAll("response=\"\\w*", "response=\""));
    ask(
        told,
        port,
        "/a",
        login(port, "bob", "secret").replaceAll("username=\"\\w*", "username=\""));
    ask(told, port, "/a", LoginFile.basic("bob:secret"));
    ask(told, port, "/a", LoginFile.basic("bob:wrong"));
    ask(told, port, "/a", "Negotiate abc");
    ask(told, port, "/a", "Digest");
    try (RawClient client = RawClient.connect(port)) {
      told.add(told(client.get(origin.url("/a"), "User-Agent: Old/1").response()));
    }
    return told;
  }

  private String login(int port, String user, String password) throws IOException {
    return login(port, user, password, "/a");
  }

  private String login(int port, String user, String password, String path) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      WireMessage challenge = client.get(origin.url("/login")).response();
      return new DigestClient(user, password)
          .challengedBy(challenge, DigestAlgorithm.MD5)
          .credentials("GET", path);
    }
  }

  private WireMessage ask(List<String> told, int port, String path, String value)
      throws IOException {
    String[] lines =
        value.isEmpty() ? new String[0] : new String[] {"Proxy-Authorization: " + value};
    try (RawClient client = RawClient.connect(port)) {
      WireMessage response = client.get(origin.url(path), lines).response();
      told.add(told.size() + " " + told(response));
      return response;
    }
  }

  private static String told(WireMessage response) {
    List<String> challenges =
        response.fields("Proxy-Authenticate").stream()
            .filter(value -> !value.contains("SHA-256"))
            .map(value -> value.replaceAll("nonce=\"\\w+\"", "nonce"))
            .toList();
    return response.status() + " " + challenges;
  }
}
