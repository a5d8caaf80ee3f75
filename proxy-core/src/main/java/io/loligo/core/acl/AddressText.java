package io.loligo.core.acl;

import io.loligo.core.message.IpText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the address values of an {@code acl} line. Stateless. */
final class AddressText {
  private AddressText() {}

  /** Adds the addresses that {@code value} names; returns why it names none, or null. */
  static @Nullable String read(
      String value,
      AddressSet.Builder into,
      HostResolver resolver,
      int index,
      List<AclProblem> problems) {
    switch (value) {
      case "all" -> {
        into.addAllV4();
        into.addAllV6();
        return null;
      }
      case "ipv4" -> {
        into.addAllV4();
        return null;
      }
      case "ipv6" -> {
        into.addAllV6();
        return null;
      }
      case "0/0",
          "0.0.0.0/0",
          "0.0.0.0/0.0.0.0",
          "0.0.0.0-255.255.255.255",
          "0.0.0.0-0.0.0.0/0" -> {
        into.addAllV4();
        into.addAllV6();
        problems.add(
            new AclProblem(false, index, value, "all", "taken as all, IPv6 too, as Squid does"));
        return null;
      }
      default -> {
        return network(value, into, resolver, index, problems);
      }
    }
  }

  private static @Nullable String network(
      String value,
      AddressSet.Builder into,
      HostResolver resolver,
      int index,
      List<AclProblem> problems) {
    if (value.matches("[0-9]{1,3}([.][0-9]{1,3}){0,2}")) {
      return shortened(value, into, index, problems);
    }
    int slash = value.indexOf('/');
    String range = slash < 0 ? value : value.substring(0, slash);
    int dash = range.indexOf('-');
    byte[] first = IpText.parse(dash < 0 ? range : range.substring(0, dash));
    byte[] last = dash < 0 ? first : IpText.parse(range.substring(dash + 1));
    if (first == null && slash < 0 && looksLikeHost(value)) {
      return host(value, into, resolver);
    }
    if (first == null || last == null || first.length != last.length) {
      return "not an IP address";
    }
    int bits = first.length * 8;
    int prefix = slash < 0 ? bits : prefix(value.substring(slash + 1), value, first);
    if (prefix < 0) {
      return "the part after / is neither a prefix length nor a mask";
    }
    if (slash >= 0 && value.indexOf('.', slash) > 0) {
      problems.add(
          new AclProblem(false, index, value, range + "/" + prefix, "write a prefix length"));
    }
    if (dash < 0 && !AddressSet.isNetwork(first, prefix)) {
      problems.add(
          new AclProblem(
              false, index, value, "a network address", "/" + prefix + " masks part of it away"));
    }
    return into.add(first, last, prefix) ? null : "the range is reversed";
  }

  /** The last number of a short form fills the remaining bytes, as everywhere in Unix. */
  private static @Nullable String shortened(
      String value, AddressSet.Builder into, int index, List<AclProblem> problems) {
    int last = value.lastIndexOf('.');
    String zeros = ".0".repeat(3 - (int) value.chars().filter(c -> c == '.').count());
    String whole =
        last < 0
            ? zeros.substring(1) + "." + value
            : value.substring(0, last) + zeros + value.substring(last);
    byte[] address = IpText.parse(whole);
    if (address == null) {
      return "not an IP address";
    }
    String advice = "taken as " + whole + ", as in Squid; write a network as address/bits";
    problems.add(new AclProblem(false, index, value, "an address of four numbers", advice));
    return into.add(address, address, 32) ? null : "not an IP address";
  }

  private static int prefix(String text, String value, byte[] first) {
    int bits = first.length * 8;
    if (text.indexOf('.') >= 0 || text.indexOf(':') >= 0) {
      byte[] mask = IpText.parse(text);
      return mask == null || mask.length != first.length ? -1 : ones(mask);
    }
    if (text.isEmpty() || text.length() > 3) {
      return -1;
    }
    int number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    boolean mapped = first.length == 4 && value.indexOf(':') >= 0;
    int prefix = mapped ? number - 96 : number;
    return prefix > bits ? -1 : prefix;
  }

  private static int ones(byte[] mask) {
    int ones = 0;
    boolean ended = false;
    for (byte b : mask) {
      for (int bit = 7; bit >= 0; bit--) {
        boolean set = (b >> bit & 1) != 0;
        if (set && ended) {
          return -1;
        }
        ended |= !set;
        ones += set ? 1 : 0;
      }
    }
    return ones;
  }

  private static boolean looksLikeHost(String value) {
    boolean letter = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!Character.isLetterOrDigit(c) && c != '.' && c != '-' && c != '_') {
        return false;
      }
    }
    return letter;
  }

  private static @Nullable String host(
      String value, AddressSet.Builder into, HostResolver resolver) {
    List<byte[]> addresses = resolver.resolve(value);
    for (byte[] address : addresses) {
      byte[] bytes = IpText.unmapped(address);
      into.add(bytes, bytes, bytes.length * 8);
    }
    return addresses.isEmpty() ? "the host name does not resolve: write addresses" : null;
  }
}
