package io.loligo.server.transport;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Netfilter's table of connections, one a line, which Linux makes while it is read. A connection is
 * found by the addresses of its replies: they are those of the socket, also where the firewall has
 * changed the destination. Immutable; reading blocks.
 */
public final class ConnectionTable {
  private static final String TCP = " tcp ";
  private static final String SOURCE = " src=";
  private static final String PORT = " dport=";
  private static final String MARK = " mark=";

  private final Path file;

  /** The table in {@code file}. */
  public ConnectionTable(Path file) {
    this.file = file;
  }

  /** The table of this process's network namespace. */
  public static ConnectionTable ofSystem() {
    return new ConnectionTable(Path.of("/proc/net/nf_conntrack"));
  }

  /** The reason why this process cannot read it, found by a try; null: it can. */
  public @Nullable String refusal() {
    try (BufferedReader lines = open()) {
      lines.read();
      return null;
    } catch (IOException e) {
      return file
          + " cannot be read: it needs Linux with the module nf_conntrack, and the group root"
          + " (systemd: SupplementaryGroups=root): "
          + e.getMessage();
    }
  }

  private BufferedReader open() throws IOException {
    return Files.newBufferedReader(file, StandardCharsets.ISO_8859_1);
  }

  /**
   * The marks of those of {@code wanted} that the table has, 0 to 0xFFFFFFFF. One pass; it ends
   * when all are found.
   */
  public Map<SocketEnds, Long> marks(Set<SocketEnds> wanted) throws IOException {
    Map<String, SocketEnds> byReply = new HashMap<>();
    for (SocketEnds ends : wanted) {
      byReply.put(reply(ends), ends);
    }
    Map<SocketEnds, Long> found = new HashMap<>();
    try (BufferedReader lines = open()) {
      for (String line = lines.readLine();
          line != null && found.size() < byReply.size();
          line = lines.readLine()) {
        SocketEnds ends = byReply.get(reply(line));
        if (ends != null) {
          found.putIfAbsent(ends, mark(line));
        }
      }
    }
    return found;
  }

  /** As a line names the addresses and ports of replies. */
  private static String reply(SocketEnds ends) {
    InetSocketAddress from = ends.local();
    InetSocketAddress to = ends.remote();
    return SOURCE
        + text(from.getAddress())
        + " dst="
        + text(to.getAddress())
        + " sport="
        + from.getPort()
        + PORT
        + to.getPort();
  }

  /** The same part of {@code line}; the empty string: it is no connection of TCP. */
  private static String reply(String line) {
    int original = line.contains(TCP) ? line.indexOf(SOURCE) : -1;
    int reply = original < 0 ? -1 : line.indexOf(SOURCE, original + 1);
    int port = reply < 0 ? -1 : line.indexOf(PORT, reply);
    int end = port < 0 ? -1 : line.indexOf(' ', port + 1);
    return end < 0 ? "" : line.substring(reply, end);
  }

  /** IPv6 addresses have all their digits. */
  private static String text(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return address.getHostAddress();
    }
    StringBuilder text = new StringBuilder();
    byte[] bytes = address.getAddress();
    for (int i = 0; i < bytes.length; i++) {
      text.append(i > 0 && i % 2 == 0 ? ":" : "");
      text.append(Character.forDigit(bytes[i] >> 4 & 15, 16));
      text.append(Character.forDigit(bytes[i] & 15, 16));
    }
    return text.toString();
  }

  private static long mark(String line) {
    int from = line.indexOf(MARK);
    if (from < 0) {
      return 0;
    }
    int begin = from + MARK.length();
    int end = line.indexOf(' ', begin);
    try {
      return Long.parseLong(end < 0 ? line.substring(begin) : line.substring(begin, end));
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
