package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A router with the proxy, a network of clients and a network of an origin, each of them a network
 * namespace with a process of its own. Prints the addresses that the origin sees, one a line. The
 * arguments are the file of the rules for nft, a folder, and lines of the configuration.
 */
final class TransparentNamespaces {
  private static final String ORIGIN = "198.51.100.80";

  private TransparentNamespaces() {}

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "clients" -> clients();
      case "origin" -> origin();
      default -> router(arguments);
    }
    System.exit(0);
  }

  // ---- the router

  private static void router(String[] arguments) throws Exception {
    command("ip", "link", "set", "lo", "up");
    try (Network clients = new Network("clients");
        Network origin = new Network("origin")) {
      clients.connect("c", "192.0.2.254/24");
      origin.connect("o", "198.51.100.1/24");
      command("ip", "rule", "add", "fwmark", "1", "lookup", "100");
      command("ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo", "table", "100");
      command("nft", "-f", arguments[0]);
      List<String> lines = new ArrayList<>();
      lines.add("http_port 3129 tproxy");
      lines.add("visible_hostname proxy.test");
      lines.add("access_log none");
      lines.add("cache_log " + Path.of(arguments[1]).resolve("cache.log"));
      lines.add("pid_filename none");
      lines.add("cache_mem 32 MB");
      lines.add("loligo_admin_port off");
      lines.add("loligo_event_loops 1");
      lines.add("http_access allow all");
      lines.addAll(List.of(arguments).subList(2, arguments.length));
      ProxyUnderTest proxy = ProxyUnderTest.start(String.join("\n", lines));
      try {
        String first = clients.ask("192.0.2.9");
        tell("one client", first);
        tell("another client", clients.ask("192.0.2.10"));
        tell("a denied client", clients.ask("192.0.2.11"));
        String again = clients.ask("192.0.2.9");
        tell("the first client again", again);
        tell("on the same connection", String.valueOf(again.equals(first)));
      } finally {
        proxy.close();
      }
    }
  }

  /** A process in a namespace of its own. It answers each line with a line. */
  private static final class Network implements AutoCloseable {
    private final Process process;
    private final BufferedReader in;

    Network(String role) throws IOException {
      List<String> command = new ArrayList<>(List.of("unshare", "--net"));
      command.addAll(
          ProxyProcess.command(List.of("-Xmx64m"), TransparentNamespaces.class.getName(), role));
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      in = new BufferedReader(new InputStreamReader(process.getInputStream(), ISO_8859_1));
      in.readLine(); // it has its namespace
    }

    /** Connects it by a pair of interfaces, of which the router has the one with this address. */
    void connect(String name, String address) throws Exception {
      String pid = String.valueOf(process.pid());
      command(
          "ip",
          "link",
          "add",
          name + "0",
          "type",
          "veth",
          "peer",
          "name",
          name + "1",
          "netns",
          pid);
      command("ip", "address", "add", address, "dev", name + "0");
      command("ip", "link", "set", name + "0", "up");
      ask("begin");
    }

    String ask(String line) throws IOException {
      process.getOutputStream().write((line + "\n").getBytes(ISO_8859_1));
      process.getOutputStream().flush();
      return in.readLine();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  // ---- the networks

  private static void clients() throws Exception {
    BufferedReader orders = begin();
    for (String address : List.of("192.0.2.9", "192.0.2.10", "192.0.2.11")) {
      command("ip", "address", "add", address + "/24", "dev", "c1");
    }
    join("c1", "192.0.2.254");
    for (String from = orders.readLine(); from != null; from = orders.readLine()) {
      System.out.println(get(from));
    }
  }

  private static String get(String from) {
    try {
      Socket socket = new Socket();
      socket.bind(new InetSocketAddress(from, 0));
      socket.connect(new InetSocketAddress(ORIGIN, 80), RawClient.GUARD_MILLIS);
      try (RawClient client = RawClient.over(socket)) {
        String head = "GET / HTTP/1.1\r\nHost: " + ORIGIN + "\r\n\r\n";
        return client.send(head).response().text();
      }
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static void origin() throws Exception {
    BufferedReader orders = begin();
    command("ip", "address", "add", ORIGIN + "/24", "dev", "o1");
    // a route to the clients: without tproxy on the way back, their packets would reach them
    join("o1", "198.51.100.1");
    ScriptedOrigin.start(
        InetAddress.getByName(ORIGIN),
        80,
        call -> {
          String text = call.peer().getAddress().getHostAddress() + " " + call.peer().getPort();
          String answer = ScriptedOrigin.response("200 OK", text, "Cache-Control: no-store");
          call.send(answer.getBytes(ISO_8859_1));
        });
    System.out.println("there");
    orders.readLine();
  }

  private static BufferedReader begin() throws IOException {
    System.out.println("unshared");
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, ISO_8859_1));
    orders.readLine();
    return orders;
  }

  private static void join(String device, String router) throws Exception {
    command("ip", "link", "set", "lo", "up");
    command("ip", "link", "set", device, "up");
    command("ip", "route", "add", "default", "via", router);
    if (device.startsWith("c")) {
      System.out.println("there");
    }
  }

  private static void tell(String what, String result) {
    System.out.println("= " + what + ": " + result);
  }

  private static void command(String... words) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    if (!process.waitFor(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)
        || process.exitValue() != 0) {
      throw new IOException(String.join(" ", words) + " failed");
    }
  }
}
