package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An origin, a proxy that intercepts, and clients in a network namespace of their own, which this
 * process needs for itself: all addresses are on its loopback interface. Prints the results, one a
 * line. The arguments are the option of the port, the file of the rules for nft, and a folder.
 */
final class InterceptingNamespace {
  private static final String CLIENT = "192.0.2.9";
  private static final String CLIENT_6 = "2001:db8::9";

  private final String option;
  private final Path rules;
  private final Path dir;

  private InterceptingNamespace(String option, Path rules, Path dir) {
    this.option = option;
    this.rules = rules;
    this.dir = dir;
  }

  public static void main(String[] arguments) throws Exception {
    new InterceptingNamespace(arguments[0], Path.of(arguments[1]), Path.of(arguments[2])).run();
    System.exit(0);
  }

  private void run() throws Exception {
    command("ip", "link", "set", "lo", "up");
    for (String address : List.of("192.0.2.1", "192.0.2.2", CLIENT)) {
      command("ip", "address", "add", address + "/32", "dev", "lo");
    }
    for (String address : List.of("2001:db8::1", CLIENT_6)) {
      command("ip", "address", "add", address + "/128", "dev", "lo", "nodad");
    }
    command("nft", "-f", rules.toString());
    Path hosts =
        Files.writeString(dir.resolve("hosts"), "192.0.2.1 www.test\n2001:db8::1 six.test\n");
    for (String address : List.of("192.0.2.1", "192.0.2.2", "2001:db8::1")) {
      startOrigin(address);
    }
    ask(hosts);
    for (String line : Files.readAllLines(dir.resolve("access.log"))) {
      String[] words = line.trim().split(" +", -1);
      tell("log", String.join(" ", words[2], words[3], words[6], words[8]));
    }
  }

  private void ask(Path hosts) throws IOException {
    try (ProxyUnderTest proxy =
        ProxyUnderTest.start(
            String.join(
                "\n",
                "http_port 3129 " + option,
                "visible_hostname proxy.test",
                "access_log stdio:" + dir.resolve("access.log") + " squid",
                "cache_log " + dir.resolve("cache.log"),
                "pid_filename none",
                "cache_mem 32 MB",
                "loligo_admin_port off",
                "loligo_event_loops 1",
                "hosts_file " + hosts,
                // the rules could not tell these connections from those of the client
                "spoof_client_ip deny all",
                "http_access allow all"))) {
      tell("there", ask(CLIENT, "192.0.2.1", 80, "www.test"));
      tell("stored", ask(CLIENT, "192.0.2.1", 80, "www.test"));
      tell("elsewhere", ask(CLIENT, "192.0.2.2", 80, "www.test"));
      tell("six", ask(CLIENT_6, "2001:db8::1", 80, "six.test"));
      tell("the port itself", ask(CLIENT, "192.0.2.1", proxy.port(), "www.test"));
      tell("a loop", ask(CLIENT, "192.0.2.2", 8080, "192.0.2.2"));
    }
  }

  /** It ends with this process. */
  private static void startOrigin(String address) throws IOException {
    String answer =
        ScriptedOrigin.response("200 OK", "from " + address, "Cache-Control: max-age=1000");
    ScriptedOrigin.start(
        InetAddress.getByName(address), 80, call -> call.send(answer.getBytes(ISO_8859_1)));
  }

  /** The status and content of the response; "closed" without one. */
  private static String ask(String from, String address, int port, String host) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(new InetSocketAddress(address, port), RawClient.GUARD_MILLIS);
    try (RawClient client = RawClient.over(socket)) {
      String head = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
      String all = client.sendIgnoringReset(head.getBytes(ISO_8859_1)).untilClose();
      if (all.isEmpty()) {
        return "closed";
      }
      int status = WireMessage.status(all);
      return status == 200 ? all.substring(all.indexOf("\r\n\r\n") + 4) : String.valueOf(status);
    }
  }

  private static void tell(String what, String result) {
    System.out.println("= " + what + ": " + result);
  }

  static void command(String... words) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(words).inheritIO().start();
    if (!process.waitFor(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)
        || process.exitValue() != 0) {
      throw new IOException(String.join(" ", words) + " failed");
    }
  }
}
