package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A transparent gateway in a network namespace of its own: first Squid, then Loligo, with the same
 * file and the same clients. Prints what each did, one result a line. The arguments are the program
 * of Squid and a folder.
 */
final class GatewayNamespace {
  private static final String SERVER = "192.0.2.1";
  private static final int FORWARD_PORT = 3128;

  static final String RULES =
      """
      table inet gateway {
        chain output {
          type nat hook output priority -100
          ip saddr 192.0.2.8/30 tcp dport 80 redirect to :3129
          ip saddr 192.0.2.8/30 tcp dport 443 redirect to :3130
        }
      }
      """;

  private final Path dir;
  private final String file;
  private final List<String> requests;
  private final TlsClient client;

  private GatewayNamespace(Path dir) throws Exception {
    this.dir = dir;
    TestAuthority authority = TestAuthority.root("Gateway");
    authority.writePair(dir, "gateway.pem").toFile().setReadable(true, false);
    Path hosts =
        Files.writeString(
            dir.resolve("hosts"), SERVER + " allowed.test www.allowed.test blocked.test\n");
    hosts.toFile().setReadable(true, false);
    String text;
    try (InputStream in = GatewayNamespace.class.getResourceAsStream("beside/gateway.conf")) {
      text = new String(in.readAllBytes(), UTF_8).replace("{dir}", dir.toString());
    }
    int border = text.indexOf("--- requests\n");
    file = text.substring(0, border);
    requests = text.substring(border).lines().skip(1).filter(line -> !line.isEmpty()).toList();
    client = TlsClient.trustingAnything();
    String answer = ScriptedOrigin.response("200 OK", "content", "Cache-Control: max-age=600");
    ScriptedOrigin.Script script = call -> call.send(answer.getBytes(ISO_8859_1));
    InetAddress server = InetAddress.getByName(SERVER);
    ScriptedOrigin.start(server, 80, script);
    ScriptedOrigin.startSecure(
        server,
        443,
        SecureServer.of(authority.issue(TestAuthority.server("allowed.test"))),
        script);
  }

  public static void main(String[] arguments) throws Exception {
    command("ip", "link", "set", "lo", "up");
    for (String address : List.of(SERVER, "192.0.2.9", "192.0.2.10")) {
      command("ip", "address", "add", address + "/32", "dev", "lo");
    }
    Path dir = Path.of(arguments[1]);
    command("nft", "-f", Files.writeString(dir.resolve("rules"), RULES).toString());
    GatewayNamespace gateway = new GatewayNamespace(dir);
    gateway.askSquid(arguments[0]);
    gateway.askLoligo();
    System.exit(0);
  }

  private void askSquid(String program) throws Exception {
    List<String> ports = file.lines().filter(line -> line.contains("_port ")).toList();
    List<String> rest = file.lines().filter(line -> !line.contains("_port ")).toList();
    try (ProxyProcess squid = SquidProcess.start(program, dir, ports, rest)) {
      squid.awaitPort(FORWARD_PORT);
      askAll("squid");
    }
    tellLog("squid", dir.resolve("squid").resolve("own.log"));
  }

  private void askLoligo() throws Exception {
    String own =
        String.join(
            "\n",
            "visible_hostname proxy.test",
            "cache_log " + dir.resolve("cache.log"),
            "pid_filename none",
            "cache_mem 32 MB",
            "loligo_admin_port off",
            "loligo_event_loops 1",
            "");
    ProxyUnderTest proxy = ProxyUnderTest.start(own + file.replace("/squid/own.log", "/own.log"));
    try {
      askAll("loligo");
    } finally {
      proxy.close();
    }
    tellLog("loligo", dir.resolve("own.log"));
  }

  private void askAll(String who) throws IOException {
    for (String request : requests) {
      tell(who, request + ": " + ask(request.split(" ", -1)));
    }
  }

  /** {@code http|https FROM NAME}. */
  private String ask(String[] words) throws IOException {
    boolean secure = words[0].equals("https");
    int port = secure ? 443 : 80;
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(words[1], 0));
    socket.connect(new InetSocketAddress(SERVER, port), RawClient.GUARD_MILLIS);
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    String head = "GET /page HTTP/1.1\r\nHost: " + words[2] + "\r\nConnection: close\r\n\r\n";
    try (Socket plain = socket;
        Socket inside = secure ? client.name(words[2]).over(plain, port) : plain;
        RawClient asking = RawClient.over(inside)) {
      WireMessage response = asking.send(head).response();
      return response.status() + (response.status() == 200 ? " " + response.text() : "");
    } catch (IOException e) {
      return "closed";
    }
  }

  private static void tellLog(String who, Path log) throws IOException {
    Files.readAllLines(log, ISO_8859_1).stream()
        .filter(line -> !line.startsWith("127.0.0.1 ")) // a wait for the port
        .distinct() // Squid may log a tunnel twice
        .forEach(line -> tell(who, "log: " + line));
  }

  private static void tell(String who, String result) {
    System.out.println("= " + who + ": " + result);
  }

  private static void command(String... words) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(words).inheritIO().start();
    if (!process.waitFor(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)
        || process.exitValue() != 0) {
      throw new IOException(String.join(" ", words) + " failed");
    }
  }
}
