package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import io.loligo.core.message.CNumber;
import io.loligo.server.upstream.StatusSet;
import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of a value and ACLs that must all match. Confined to one thread.
 *
 * @param <T> made of a line
 */
abstract class LocalEndLines<T> implements LineReader<List<T>> {
  private static final long MAX_MARK = 0xFFFFFFFFL;

  private final RuleScope scope;
  private final String expected;
  private final Report report;
  private final Rules rules;
  private final List<T> all = new ArrayList<>();

  private LocalEndLines(Reading reading, RuleScope scope, String expected) {
    report = reading.report();
    rules = reading.rules();
    this.scope = scope;
    this.expected = expected;
  }

  static LineReader<List<NextPeerRule>> nextPeers(Reading reading) {
    return new LocalEndLines<>(reading, RuleScope.REQUEST, "statuses such as 404,500-599") {
      @Override
      @Nullable NextPeerRule made(String value, AclList access) {
        StatusSet statuses = StatusSet.of(value);
        return statuses == null ? null : new NextPeerRule(statuses, access);
      }
    };
  }

  static LineReader<List<LocalEndRules.Address>> addresses(Reading reading) {
    return new LocalEndLines<>(reading, RuleScope.HOP, "an IP address") {
      @Override
      LocalEndRules.@Nullable Address made(String value, AclList access) {
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(value);
        if (address == null) {
          return null;
        }
        boolean v6 = address instanceof Inet6Address;
        return new LocalEndRules.Address(address.isAnyLocalAddress() ? null : address, v6, access);
      }
    };
  }

  static LineReader<List<LocalEndRules.PacketNumber>> trafficClasses(Reading reading) {
    return numbers(reading, RuleScope.HOP, 255, "0 to 255 or 0x00 to 0xFF");
  }

  static LineReader<List<LocalEndRules.PacketNumber>> clientClasses(Reading reading) {
    return numbers(reading, RuleScope.REQUEST, 255, "0 to 255 or 0x00 to 0xFF");
  }

  static LineReader<List<LocalEndRules.PacketNumber>> marks(Reading reading) {
    return numbers(reading, RuleScope.HOP, MAX_MARK, "a mark without a mask, 0 to 0xFFFFFFFF");
  }

  static LineReader<List<LocalEndRules.PacketNumber>> clientMarks(Reading reading) {
    return numbers(reading, RuleScope.REQUEST, MAX_MARK, "a mark without a mask, 0 to 0xFFFFFFFF");
  }

  private static LineReader<List<LocalEndRules.PacketNumber>> numbers(
      Reading reading, RuleScope scope, long most, String expected) {
    return new LocalEndLines<>(reading, scope, expected) {
      @Override
      LocalEndRules.@Nullable PacketNumber made(String value, AclList access) {
        long number = CNumber.of(value, most);
        return number < 0 ? null : new LocalEndRules.PacketNumber((int) number, access);
      }
    };
  }

  /** What a line means; null: {@code value} is invalid. */
  abstract @Nullable T made(String value, AclList access);

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    String value = values.isEmpty() ? "" : values.get(0);
    List<String> terms = values.isEmpty() ? values : values.subList(1, values.size());
    if (made(value, AclList.allowAll()) == null) {
      report.error(line, value, expected, "");
    } else if (rules.check(scope, line, terms)) {
      T made = made(value, rules.compileTerms(line, terms));
      assert made != null : "it was valid";
      all.add(made);
    }
  }

  @Override
  public List<T> value() {
    return List.copyOf(all);
  }
}
