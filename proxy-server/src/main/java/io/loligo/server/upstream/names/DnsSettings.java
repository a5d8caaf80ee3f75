package io.loligo.server.upstream.names;

import io.loligo.core.message.IpText;
import io.netty.resolver.HostsFileEntriesProvider;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.resolver.dns.UnixResolverDnsServerAddressStreamProvider;
import io.netty.util.NetUtil;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The input of name resolution from configuration and files, read in advance: event loops read no
 * files. Immutable.
 *
 * @param config the directives
 * @param servers the servers to ask
 * @param hosts names of the hosts file in lower case
 * @param names the name of each address of the hosts file: the first one of its last line
 * @param system the system's settings
 */
public record DnsSettings(
    NameSettings config,
    DnsServerAddressStreamProvider servers,
    Map<String, List<InetAddress>> hosts,
    Map<String, String> names,
    String system) {
  private static final int DNS_PORT = 53;
  private static final String SYSTEM = "/etc/resolv.conf";

  /** Reads the hosts file and, if no nameserver is configured, the system's settings. Blocks. */
  public static DnsSettings load(NameSettings config) {
    return new DnsSettings(
        config, servers(config.nameservers), hosts(config), names(config), systemText());
  }

  /** {@code other} if it is equal: names known by it stay known. */
  public DnsSettings orSame(DnsSettings other) {
    boolean same =
        config.equals(other.config)
            && hosts.equals(other.hosts)
            && names.equals(other.names)
            && (!config.nameservers.isEmpty() || system.equals(other.system));
    return same ? other : this;
  }

  private static DnsServerAddressStreamProvider servers(List<String> nameservers) {
    if (nameservers.isEmpty()) {
      return systemServers();
    }
    List<InetSocketAddress> addresses = new ArrayList<>(nameservers.size());
    for (String server : nameservers) {
      addresses.add(serverAddress(server));
    }
    return new SequentialDnsServerAddressStreamProvider(addresses);
  }

  private static DnsServerAddressStreamProvider systemServers() {
    try {
      return new UnixResolverDnsServerAddressStreamProvider(SYSTEM, "/etc/resolver");
    } catch (IOException | IllegalArgumentException e) {
      // the behaviour of the C library without a resolv.conf
      return new SequentialDnsServerAddressStreamProvider(
          new InetSocketAddress(NetUtil.LOCALHOST4, DNS_PORT));
    }
  }

  /** {@code address}, {@code address:port} or {@code [address]:port}. */
  private static InetSocketAddress serverAddress(String text) {
    String host = text;
    int port = DNS_PORT;
    int colon = text.lastIndexOf(':');
    boolean bracketed = text.startsWith("[");
    if (colon > 0 && (bracketed ? text.charAt(colon - 1) == ']' : text.indexOf(':') == colon)) {
      host = text.substring(0, colon);
      port = Integer.parseInt(text.substring(colon + 1));
    }
    if (bracketed) {
      host = host.substring(1, host.length() - 1);
    }
    InetAddress address = literal(host);
    if (address == null) {
      throw new IllegalArgumentException("nameserver: " + text + " (expected: an address)");
    }
    return new InetSocketAddress(address, port);
  }

  private static String systemText() {
    try {
      return Files.readString(Path.of(SYSTEM), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  private static Map<String, List<InetAddress>> hosts(NameSettings config) {
    Map<String, List<InetAddress>> hosts = new HashMap<>();
    String path = config.hostsFile;
    if (path == null || path.isEmpty() || "none".equals(path)) {
      return hosts;
    }
    HostsFileEntriesProvider file =
        HostsFileEntriesProvider.parser().parseSilently(new File(path), StandardCharsets.UTF_8);
    file.ipv6Entries().forEach((name, addresses) -> add(hosts, name, addresses));
    file.ipv4Entries().forEach((name, addresses) -> add(hosts, name, addresses));
    return hosts;
  }

  private static void add(
      Map<String, List<InetAddress>> hosts, String name, List<InetAddress> addresses) {
    hosts
        .computeIfAbsent(name.toLowerCase(Locale.ROOT), key -> new ArrayList<>())
        .addAll(addresses);
  }

  /** As in Squid, the last line of an address counts. */
  private static Map<String, String> names(NameSettings config) {
    Map<String, String> names = new HashMap<>();
    String path = config.hostsFile;
    if (path == null || path.isEmpty() || "none".equals(path)) {
      return names;
    }
    try (Stream<String> lines = Files.lines(Path.of(path), StandardCharsets.ISO_8859_1)) {
      lines
          .map(line -> line.replaceFirst("#.*", "").strip().split("\\s+", -1))
          .filter(words -> words.length > 1 && IpText.parse(words[0]) != null)
          .forEach(words -> names.put(IpText.normal(words[0]), words[1].toLowerCase(Locale.ROOT)));
    } catch (IOException | UncheckedIOException e) {
      return Map.of(); // it has no names either then
    }
    return names;
  }

  /** The address {@code host} spells out (four decimal numbers, or IPv6 in any form), or null. */
  static @Nullable InetAddress literal(String host) {
    byte[] bytes = IpText.parse(host);
    if (bytes == null) {
      return null;
    }
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
