package io.loligo.server.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

/**
 * A look at {@code loligo_admin_port} without reading the configuration, for a JVM that loads few
 * classes. Stateless.
 */
final class AdminPortLine {
  private static final String DIRECTIVE = "loligo_admin_port";
  private static final int USUAL_PORT = 3129;
  private static final int MOST = 65_535;
  private static final String IPV4 = "127.0.0.1";
  private static final String IPV6 = "::1";

  private AdminPortLine() {}

  /**
   * The addresses at which the proxy of {@code file} may answer, in the order to try them; none if
   * a look at single lines does not tell, or if the port speaks TLS.
   */
  static List<InetSocketAddress> of(Path file) {
    try {
      return of(Files.readAllLines(file, StandardCharsets.ISO_8859_1));
    } catch (IOException unreadable) {
      return List.of(); // whoever reads the configuration says why
    }
  }

  static List<InetSocketAddress> of(List<String> lines) {
    List<InetSocketAddress> found = usual();
    boolean given = false;
    for (String line : lines) {
      StringTokenizer words = new StringTokenizer(line);
      String first = words.hasMoreTokens() ? words.nextToken() : "#";
      if (first.startsWith("#")) {
        continue;
      }
      if (first.equals("include") || first.equals("if")) {
        return List.of();
      }
      if (first.equals(DIRECTIVE)) {
        String place = words.hasMoreTokens() ? words.nextToken() : "";
        boolean plain = !words.hasMoreTokens() || words.nextToken().startsWith("#");
        found = plain ? addresses(place) : List.of();
        given = true;
      } else if (line.contains(DIRECTIVE)) {
        return List.of(); // in a macro, for example
      } else if (!given && line.contains(Integer.toString(USUAL_PORT))) {
        found = List.of(); // an http_port may have the default number
      }
    }
    return found;
  }

  /** Where the port is if no line names another place. */
  static List<InetSocketAddress> usual() {
    return addresses(USUAL_PORT, IPV4, IPV6);
  }

  /** Of {@code [ADDRESS:]PORT}; none for names, and for anything else. */
  private static List<InetSocketAddress> addresses(String place) {
    int colon = place.lastIndexOf(':');
    int port = number(place.substring(colon + 1));
    if (port <= 0) {
      return List.of();
    }
    String host = colon < 0 ? "" : place.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty() || host.equals("0.0.0.0") || host.equals("::")) {
      return addresses(port, IPV4, IPV6);
    }
    return isInDigits(host) ? addresses(port, host) : List.of();
  }

  /** Looking a name up takes time, and another address each time. */
  private static boolean isInDigits(String host) {
    if (host.indexOf(':') >= 0) {
      return true;
    }
    for (int i = 0; i < host.length(); i++) {
      char c = host.charAt(i);
      if (c != '.' && (c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }

  private static int number(String text) {
    try {
      int port = Integer.parseInt(text);
      return port <= MOST ? port : -1;
    } catch (NumberFormatException none) {
      return -1;
    }
  }

  /** None if a host is no address. */
  private static List<InetSocketAddress> addresses(int port, String... hosts) {
    List<InetSocketAddress> found = new ArrayList<>();
    for (String host : hosts) {
      try {
        found.add(new InetSocketAddress(InetAddress.getByName(host), port));
      } catch (IOException wrong) {
        return List.of();
      }
    }
    return found;
  }
}
