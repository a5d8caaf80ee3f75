package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.login.kerberos.KerberosAcceptor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code cache_peer login=NEGOTIATE} in this proxy and in Squid, with the same keytab and KDC: the
 * parent gets the same requests, each with a token of its own from the first attempt on, also after
 * a challenge, and the client gets the same answers. Skipped, visibly, if Squid is absent.
 */
class KerberosPeerBesideSquidTest extends WireTest {
  private static final Pattern TOKEN = Pattern.compile("authorization: Negotiate (\\S+?)(;|$)");

  private static final String FIELDS =
      "User-Agent: agent/1\r\nAuthorization: Basic Ym9iOng=\r\nX-Own: 1\r\n"
          + "Proxy-Connection: keep-alive\r\nX-Forwarded-For: 192.0.2.1\r\n";

  /** Each line is a connection of a client; each word of it a request: method and path. */
  private static final List<String> CONNECTIONS =
      List.of(
          "GET/a GET/b GET/a",
          "GET/a",
          "POST/upload",
          "CONNECT",
          "GET/refused",
          "GET/a",
          "CONNECT/refused",
          "GET/site",
          "GET/site GET/site/refused",
          "GET/own",
          "GET/site/own");

  private ScriptedOrigin site;
  private KerberosAcceptor parent;

  private List<String> lines() {
    String peer = "cache_peer localhost parent " + origin.port() + " 0 no-query no-digest ";
    return new ArrayList<>(
        List.of(
            peer + "name=proxy login=NEGOTIATE:bob@" + TestKdc.REALM,
            peer.replace("" + origin.port(), "" + site.port())
                + ("name=site originserver login=NEGOTIATE:bob@" + TestKdc.REALM),
            "acl site urlpath_regex ^/site",
            "cache_peer_access site allow site",
            "cache_peer_access proxy deny site",
            "never_direct allow all",
            "cache deny all",
            "http_access allow all"));
  }

  @Test
  void theParentGetsTheSameRequests(@TempDir Path keys) throws Exception {
    InstalledProgram.path("squid");
    TestKdc kdc = closing(new TestKdc(keys));
    site = closing(ScriptedOrigin.start());
    parent = new KerberosAcceptor(kdc.keytab(TestKdc.SERVICE).toString(), null, false);
    Path keytab = kdc.keytab("bob@" + TestKdc.REALM);
    Path library = kdc.libraryConfiguration();
    readable(keys, keytab, library);
    for (ScriptedOrigin each : List.of(origin, site)) {
      each.otherwise(
          call -> {
            call.whole();
            call.ok("content");
          });
    }
    origin.on(origin.url("/refused"), refusal(407, "Proxy"));
    origin.on("refused.test:443", refusal(407, "Proxy"));
    site.on("/site/refused", refusal(401, "WWW"));
    int port = ProxyProcess.freePort();
    List<String> environment = List.of("KRB5_CONFIG=" + library, "KRB5_KTNAME=" + keytab);
    List<String> expected;
    try (ProxyProcess squid =
        SquidProcess.startIn(environment, dir, List.of("http_port 127.0.0.1:" + port), lines())) {
      squid.awaitPort(port);
      expected = askAll(port);
    }
    List<String> ours = lines();
    ours.add("loligo_peer_keytab " + keytab);
    startProxy(ours.toArray(String[]::new));
    assertThat(askAll(proxy.port())).isEqualTo(expected);
    assertThat(expected)
        .contains("GET/a 200 [][]", "CONNECT 200", "CONNECT/refused refused")
        .filteredOn(line -> line.contains("authorization: Negotiate (bob@LOLIGO.TEST)"))
        .hasSize(CONNECTIONS.stream().mapToInt(line -> line.split(" ", -1).length).sum());
  }

  private static ScriptedOrigin.Script refusal(int status, String prefix) {
    return call ->
        call.send(
            ("HTTP/1.1 " + status + " No\r\n" + prefix + "-Authenticate: Negotiate\r\n")
                + (prefix + "-Authenticate: Basic realm=\"parent\"\r\nContent-Length: 0\r\n\r\n"));
  }

  private static void readable(Path... paths) {
    for (Path path : paths) {
      path.toFile().setReadable(true, false);
      path.toFile().setExecutable(path.toFile().isDirectory(), false);
    }
  }

  private List<String> askAll(int port) throws Exception {
    List<String> told = new ArrayList<>();
    Set<String> tokens = new HashSet<>();
    for (String connection : CONNECTIONS) {
      try (RawClient client = RawClient.connect(port)) {
        for (String request : connection.split(" ", -1)) {
          int atOrigin = origin.requests().size();
          int atSite = site.requests().size();
          told.add(request + " " + ask(client, request));
          List<String> sent = new ArrayList<>(ComparedRequests.since(origin, atOrigin));
          sent.addAll(ComparedRequests.since(site, atSite));
          for (String each : sent) {
            told.add(withUser(each, tokens));
          }
        }
      } catch (IOException e) {
        throw new IOException("no answer on the connection " + connection, e);
      }
    }
    return told;
  }

  /** The request with the user whom its token names, as the parent sees it, for the token. */
  private String withUser(String sent, Set<String> tokens) throws Exception {
    Matcher token = TOKEN.matcher(sent);
    if (!token.find()) {
      return sent;
    }
    boolean isNew = tokens.add(token.group(1));
    String user =
        isNew
            ? parent.new Exchange().next(Base64.getDecoder().decode(token.group(1))).user()
            : "token again";
    return sent.replace(token.group(1), "(" + user + ")");
  }

  private String ask(RawClient client, String request) throws IOException {
    if (request.startsWith("CONNECT")) {
      String host = request.equals("CONNECT") ? "site.test:443" : "refused.test:443";
      client.send("CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n" + FIELDS + "\r\n");
      int status = WireMessage.status(client.responseHead());
      if (status == 200) {
        client.halfClose();
        client.untilClose();
      }
      // Squid sends the challenge of a parent on to the client; here it gets 502
      return status == 200 ? "200" : "refused";
    }
    String path = request.substring(request.indexOf('/'));
    String[] own =
        path.endsWith("own")
            ? new String[] {"Authorization: Basic Ym9iOng=", LoginFile.line("carl:x")}
            : new String[0];
    if (request.startsWith("POST")) {
      String head = RawClient.head("POST", origin.url(path), "Content-Length: 4");
      client.send(head + "word");
    } else {
      client.get(origin.url(path), own);
    }
    WireMessage response = client.response();
    return response.status()
        + (" " + response.fields("Proxy-Authenticate"))
        + response.fields("WWW-Authenticate");
  }
}
