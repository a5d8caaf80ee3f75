package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;

/**
 * A proxy whose rules ask for marks of connections, and its clients, in a network namespace of
 * their own. Prints the statuses of responses, one a line. The arguments are the file of the rules
 * for nft, and a folder.
 */
final class MarkedNamespace {
  private static final List<String> CLIENTS =
      List.of("192.0.2.9", "192.0.2.10", "192.0.2.11", "2001:db8::9", "2001:db8::10");

  private MarkedNamespace() {}

  public static void main(String[] arguments) throws Exception {
    run(Path.of(arguments[0]), Path.of(arguments[1]));
    System.exit(0);
  }

  private static void run(Path rules, Path dir) throws Exception {
    InterceptingNamespace.command("ip", "link", "set", "lo", "up");
    for (String address : CLIENTS) {
      String bits = address.contains(":") ? "/128" : "/32";
      InterceptingNamespace.command("ip", "address", "add", address + bits, "dev", "lo");
    }
    InterceptingNamespace.command("nft", "-f", rules.toString());
    String response = ScriptedOrigin.response("200 OK", "x", "Cache-Control: no-store");
    ScriptedOrigin origin =
        ScriptedOrigin.start(
            InetAddress.getLoopbackAddress(), 0, call -> call.send(response.getBytes(ISO_8859_1)));
    try (ProxyUnderTest proxy =
        ProxyUnderTest.start(
            String.join(
                "\n",
                "http_port 3128",
                "visible_hostname proxy.test",
                "access_log none",
                "cache_log " + dir.resolve("cache.log"),
                "pid_filename none",
                "cache_mem 32 MB",
                "loligo_admin_port off",
                "loligo_event_loops 1",
                "acl guests client_connection_mark 0x10/0xf0",
                "acl tagged clientside_mark 7",
                "acl later src 192.0.2.10 192.0.2.11",
                "http_access allow later", // only miss_access asks for their marks
                "http_access deny guests",
                "http_access allow all",
                "miss_access deny tagged"))) {
      for (String client : CLIENTS) {
        System.out.println("= " + client + ": " + ask(client, proxy.port(), origin.url("/")));
      }
    }
  }

  /** The statuses of two responses on one connection. */
  private static String ask(String from, int port, String url) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(new InetSocketAddress(from, port), RawClient.GUARD_MILLIS);
    try (RawClient client = RawClient.over(socket)) {
      int first = WireMessage.status(client.get(url).response().head());
      return first + " " + WireMessage.status(client.get(url).response().head());
    }
  }
}
