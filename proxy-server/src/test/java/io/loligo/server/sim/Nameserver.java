package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Answers questions (RFC 1035 section 4), late, never, wrongly, or about something else, as the
 * faults of the world have it.
 */
final class Nameserver {
  private static final int A = 1;
  private static final int NAME_ERROR = 3;
  private static final int SERVER_FAILURE = 2;

  private final World world;
  private final Faults faults;
  private final Map<String, List<byte[]>> addresses = new HashMap<>();

  Nameserver(World world, Faults faults) {
    this.world = world;
    this.faults = faults;
  }

  /** {@code name} has {@code all} addresses, each of four bytes. */
  void knows(String name, List<byte[]> all) {
    addresses.put(name, all);
  }

  /** {@code question} was sent to {@code server} by {@code asker}. */
  void asked(SimDatagrams asker, InetSocketAddress server, byte[] question) {
    int end = 12;
    StringBuilder name = new StringBuilder();
    while (question[end] != 0) {
      name.append(name.isEmpty() ? "" : ".")
          .append(new String(question, end + 1, question[end], US_ASCII));
      end += question[end] + 1;
    }
    String host = name.toString();
    int type = question[end + 2];
    List<byte[]> all = addresses.get(host);
    world.note("asked for the %s of %s", type == A ? "address" : "record " + type, host);
    if (world.chance(faults.dnsSilence())) {
      faults.trouble(host, 0);
      faults.unnamedUntil(host, world.millis() + Faults.DNS_MEMORY_MILLIS);
      return;
    }
    if (world.chance(faults.dnsLie())) {
      // of an attacker who guesses: never believed
      byte[] lie = answer(question, end, type, List.of(new byte[] {10, 66, 66, 66}), 0);
      lie[0] ^= 0x5a;
      send(asker, server, lie, 1);
    }
    int code = 0;
    if (world.chance(faults.dnsError())) {
      code = world.chance(50) ? SERVER_FAILURE : NAME_ERROR;
      faults.unnamedUntil(host, world.millis() + Faults.DNS_MEMORY_MILLIS);
    } else if (all == null) {
      code = NAME_ERROR;
    }
    List<byte[]> found = type == A && code == 0 ? all : List.of();
    long millis = world.chance(faults.dnsDelay()) ? world.draw(7_000) : world.draw(20);
    if (millis > 1_000) {
      faults.unnamedUntil(host, world.millis() + Faults.DNS_MEMORY_MILLIS + millis);
    }
    send(asker, server, answer(question, end, type, found, code), millis);
    if (world.chance(faults.dnsLie())) {
      send(asker, server, answer(question, end, type, found, code), millis + 1);
    }
  }

  private void send(SimDatagrams asker, InetSocketAddress server, byte[] bytes, long millis) {
    world.after(millis * 1000 + world.draw(1000), () -> asker.arrives(bytes, server));
  }

  private static byte[] answer(byte[] question, int end, int type, List<byte[]> found, int code) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(question, 0, 2);
    shorts(out, 0x8180 | code, 1, found.size(), 0, 0);
    out.write(question, 12, end + 5 - 12);
    for (byte[] address : found) {
      shorts(out, 0xc00c, type, 1, 0, 60, address.length);
      out.write(address, 0, address.length);
    }
    return out.toByteArray();
  }

  private static void shorts(ByteArrayOutputStream out, int... values) {
    for (int value : values) {
      out.write(value >> 8);
      out.write(value);
    }
  }
}
