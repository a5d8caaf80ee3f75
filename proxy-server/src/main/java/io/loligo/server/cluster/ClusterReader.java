package io.loligo.server.cluster;

import io.loligo.core.config.Directive;
import io.loligo.core.config.HostPort;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code loligo_cluster}: one line at most. Confined to one thread. */
final class ClusterReader implements LineReader<@Nullable ClusterLine> {
  private static final int MAX_WEIGHT = 1_000;
  private static final int USUAL_WEIGHT = 100;
  private static final int MAX_CONNECTIONS = 1_000_000;
  private static final int USUAL_CONNECTIONS = 1_024;
  private static final int MAX_COPIES = 2;
  private static final int PORT_MAX = 65_535;
  private static final int MAX_NAME = 64;
  private static final String DNS = "dns:";
  private static final String FILE = "file:";

  private final Reading reading;
  private @Nullable Line line;
  private @Nullable ClusterLine value;

  // of the line that is read
  private @Nullable HostPort listen;
  private ClusterLine.@Nullable Kind kind;
  private List<HostPort> members = List.of();
  private String place = "";
  private @Nullable ClusterMode mode;
  private int bodies;
  private int weight = USUAL_WEIGHT;
  private int connections = USUAL_CONNECTIONS;
  private int copies = 1;
  private boolean insecure;
  private boolean wrong;

  ClusterReader(Directive directive, Reading reading) {
    this.reading = reading;
  }

  @Override
  public void read(Line next) {
    if (line != null) {
      reading.report().error(next, "", "one line", "this process is in one cluster");
      return;
    }
    line = next;
    List<String> values = next.values();
    String name = values.isEmpty() ? "" : values.get(0);
    if (!name.matches("[A-Za-z0-9._-]{1," + MAX_NAME + "}")) {
      error(name, "the NAME of the cluster: up to 64 letters, digits, dots, hyphens, underscores");
      return;
    }
    for (String word : values.subList(1, values.size())) {
      take(word);
    }
    if (!wrong) {
      value = made(name, next);
    }
  }

  private void take(String word) {
    Option option = Option.of(word);
    String given = option.value() == null ? "" : option.value();
    switch (option.name()) {
      case "listen" -> listen = place(word, given);
      case "members" -> members(word, given);
      case "mode" -> mode(word, given);
      case "bodies" -> bodies = number(word, option, PORT_MAX);
      case "weight" -> weight = number(word, option, MAX_WEIGHT);
      case "connections" -> connections = number(word, option, MAX_CONNECTIONS);
      case "copies" -> copies = number(word, option, MAX_COPIES);
      case "insecure" -> insecure = option.value() == null || wrong(word, "insecure");
      default ->
          wrong(
              word,
              "listen=, members=, mode=, bodies=, weight=, connections=, copies= or insecure");
    }
  }

  private boolean wrong(String word, String expected) {
    error(word, expected);
    return false;
  }

  private void error(String word, String expected) {
    Line at = line;
    assert at != null : "a line is read";
    reading.report().error(at, word, expected, "");
    wrong = true;
  }

  private int number(String word, Option option, int max) {
    int number = option.number(max);
    if (number < 1) {
      error(word, "a number from 1 to " + max);
    }
    return number;
  }

  /** Null: reported. */
  private @Nullable HostPort place(String word, String given) {
    HostPort found = HostPort.parse(given);
    if (found == null || found.address().isEmpty() || found.port() == 0) {
      error(word, "ADDRESS:PORT");
      return null;
    }
    return found;
  }

  private void members(String word, String given) {
    if (given.startsWith(FILE)) {
      kind = ClusterLine.Kind.FILE;
      place = given.substring(FILE.length());
      if (place.isEmpty()) {
        error(word, "file:PATH");
      }
    } else if (given.startsWith(DNS)) {
      kind = ClusterLine.Kind.DNS;
      HostPort name = place(word, given.substring(DNS.length()));
      place = name == null ? "" : name.text();
    } else {
      kind = ClusterLine.Kind.LISTED;
      List<HostPort> listed = new ArrayList<>();
      for (String one : given.split(",", -1)) {
        HostPort member = place(word, one);
        if (member == null) {
          return;
        }
        if (isWildcard(member)) {
          error(word, "addresses at which the nodes are reached, not a wildcard");
          return;
        }
        if (!listed.contains(member)) {
          listed.add(member);
        }
      }
      members = List.copyOf(listed);
    }
  }

  private void mode(String word, String given) {
    switch (given) {
      case "purge" -> mode = ClusterMode.PURGE;
      case "share" -> mode = ClusterMode.SHARE;
      default -> error(word, "mode=purge or mode=share");
    }
  }

  /** Null: something is missing, and reported. */
  private @Nullable ClusterLine made(String name, Line at) {
    HostPort on = listen;
    ClusterLine.Kind how = kind;
    ClusterMode what = mode;
    if (on == null || how == null || what == null) {
      error(
          "",
          on == null ? "listen=ADDRESS:PORT" : how == null ? "members=" : "mode=purge or share");
      return null;
    }
    if (copies > 1 && what == ClusterMode.PURGE) {
      error(
          "copies=" + copies,
          "mode=share: with mode=purge each node has all that it was asked for");
      return null;
    }
    int peer = bodies == 0 ? on.port() + 1 : bodies;
    if (peer > PORT_MAX || peer == on.port()) {
      error("", "bodies=PORT, another one than that of listen=");
      return null;
    }
    return new ClusterLine(
        name,
        on,
        how,
        members,
        place,
        what,
        peer,
        weight,
        connections,
        copies,
        insecure,
        at.source());
  }

  @Override
  public void end() {
    ClusterLine made = value;
    Line at = line;
    if (made == null || at == null) {
      return;
    }
    boolean secured = !reading.lines(ClusterDirectives.TLS).isEmpty();
    boolean local =
        made.kind() == ClusterLine.Kind.LISTED
            && isLoopback(made.listen())
            && made.members().stream().allMatch(ClusterReader::isLoopback);
    if (!secured && !local && !made.insecure()) {
      reading
          .report()
          .error(
              at,
              made.listen().text(),
              "a line of loligo_cluster_tls",
              "everybody who reaches the port could purge; insecure at the end accepts that");
    } else if (made.insecure() && secured) {
      reading.report().error(at, "insecure", "no such word beside loligo_cluster_tls", "");
    }
  }

  private static boolean isWildcard(HostPort place) {
    InetAddress address = NetUtil.createInetAddressFromIpAddressString(place.address());
    return address != null && address.isAnyLocalAddress();
  }

  private static boolean isLoopback(HostPort place) {
    String address = place.address();
    return address.equals("localhost")
        || address.equals("::1")
        || (address.startsWith("127.") && NetUtil.isValidIpV4Address(address));
  }

  @Override
  @SuppressWarnings("NullAway") // T may be null; NullAway sees no type arguments
  public @Nullable ClusterLine value() {
    return value;
  }
}
