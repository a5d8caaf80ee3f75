package io.loligo.server.adapt;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.message.Decimal;
import io.loligo.server.adapt.IcapService.Overload;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tls.TlsWords;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code icap_service} lines. Confined to one thread. */
final class ServiceLines implements LineReader<Map<String, IcapService>> {
  static final String FORM =
      "NAME reqmod_precache|respmod_precache icap[s]://HOST[:PORT]/PATH [bypass=on|off]"
          + " [on-overload=block|bypass|wait|force] [max-conn=N] [routing=on|off] [ipv6=on|off]"
          + " [connection-encryption=on|off] [tls-OPTION=VALUE]";

  private static final String SCHEME = "icap://";
  private static final String SECURE_SCHEME = "icaps://";
  private static final int DEFAULT_PORT = 1344;
  private static final int DEFAULT_SECURE_PORT = 11_344;
  private static final int MAX_PORT = 65_535;
  private static final String ON_OFF = "on or off";

  static final String OFF = "ICAP is off: without icap_enable on, the line has no effect";

  private final Reading reading;
  private final Report report;
  private final List<Line> lines = new ArrayList<>();
  private final Map<String, IcapService> services = new LinkedHashMap<>();

  ServiceLines(Reading reading) {
    this.reading = reading;
    report = reading.report();
  }

  @Override
  public void read(Line line) {
    lines.add(line);
    List<String> values = line.values();
    if (values.size() < 3) {
      report.error(line, "", FORM, "");
      return;
    }
    String point = values.get(1).toLowerCase(Locale.ROOT);
    if (point.endsWith("_postcache")) {
      report.error(line, values.get(1), "a point before the cache", "Squid has no other either");
      return;
    }
    if (!point.equals("reqmod_precache") && !point.equals("respmod_precache")) {
      report.error(line, values.get(1), "reqmod_precache or respmod_precache", "");
      return;
    }
    Options options = new Options(line);
    for (String word : values.subList(2, values.size())) {
      if (!options.take(word)) {
        return;
      }
    }
    IcapService service = options.service(values.get(0), point.startsWith("respmod"));
    if (service != null && services.putIfAbsent(service.name(), service) != null) {
      report.error(line, service.name(), "a name of its own", "another icap_service has it");
    }
  }

  /** The words after the point of one line. */
  private final class Options {
    private final Line line;
    private final Set<String> seen = new HashSet<>();
    private @Nullable String uri;
    private boolean bypass;
    private boolean routing;
    private @Nullable Overload overload;
    private int maxConnections = -1;
    private final TlsWords tls;
    private @Nullable String domain;

    Options(Line line) {
      this.line = line;
      tls = new TlsWords(line, report);
    }

    boolean take(String word) {
      int equals = word.indexOf('=');
      int scheme = word.indexOf("://");
      boolean named = equals >= 0 && (scheme < 0 || scheme > equals);
      String name = named ? word.substring(0, equals) : "uri";
      String value = named ? word.substring(equals + 1) : word;
      if (word.equals("0") || word.equals("1")) {
        name = "bypass";
      }
      if (!seen.add(name) && !isOfTls(name)) {
        return wrong(word, "each option once");
      }
      return switch (name) {
        case "uri" -> {
          uri = value;
          yield true;
        }
        case "bypass" -> {
          bypass = isOn(value);
          yield isFlag(word, value);
        }
        case "routing" -> {
          routing = isOn(value);
          yield isFlag(word, value);
        }
        case "ipv6", "connection-encryption" -> isFlag(word, value);
        case "on-overload" -> overload(word, value);
        case "max-conn" -> maxConnections(word, value);
        case "tls-domain", "ssldomain" -> {
          domain = value;
          yield !value.isEmpty() || wrong(word, "the name in the certificate");
        }
        default -> unknown(word, name);
      };
    }

    private boolean unknown(String word, String name) {
      Option option = Option.of(word);
      String bare = name.substring(name.startsWith("tls-") ? 4 : isOfTls(name) ? 3 : 0);
      return (isOfTls(name) && tls.take(word, bare, option.value())) || wrong(word, FORM);
    }

    private static boolean isOfTls(String name) {
      return name.startsWith("tls-") || name.startsWith("ssl");
    }

    private boolean overload(String word, String value) {
      for (Overload one : Overload.values()) {
        if (one.name().toLowerCase(Locale.ROOT).equals(value)) {
          overload = one;
          return true;
        }
      }
      return wrong(word, "block, bypass, wait or force");
    }

    private boolean maxConnections(String word, String value) {
      long number = Decimal.of(value, 0, value.length());
      if (number < 0 || number > Integer.MAX_VALUE) {
        return wrong(word, "a number of connections");
      }
      maxConnections = (int) number;
      return true;
    }

    private boolean isFlag(String word, String value) {
      return isOn(value) || value.equals("off") || value.equals("0") || wrong(word, ON_OFF);
    }

    private static boolean isOn(String value) {
      return value.equals("on") || value.equals("1");
    }

    private boolean wrong(String word, String expected) {
      report.error(line, word, expected, "");
      return false;
    }

    @Nullable IcapService service(String name, boolean responses) {
      String whole = uri;
      if (whole == null) {
        wrong("", FORM);
        return null;
      }
      String lower = whole.toLowerCase(Locale.ROOT);
      if (lower.startsWith("ecap://")) {
        report.error(line, whole, "icap://HOST:PORT/PATH", "this proxy loads no eCAP modules");
        return null;
      }
      boolean secure = lower.startsWith(SECURE_SCHEME);
      String scheme = secure ? SECURE_SCHEME : SCHEME;
      int slash = lower.startsWith(scheme) ? whole.indexOf('/', scheme.length()) : -1;
      String host = slash < 0 ? "" : whole.substring(scheme.length(), slash);
      int port = secure ? DEFAULT_SECURE_PORT : DEFAULT_PORT;
      int colon = host.lastIndexOf(':');
      if (colon > host.indexOf(']')) {
        long number = Decimal.of(host, colon + 1, host.length());
        port = number > 0 && number <= MAX_PORT ? (int) number : -1;
        host = host.substring(0, colon);
      }
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      if (host.isEmpty() || port < 0 || !isVisible(whole)) {
        wrong(whole, "icap://HOST[:PORT]/PATH or icaps://HOST[:PORT]/PATH");
        return null;
      }
      TlsOptions words = tls.options();
      if (!secure && (tls.given() || domain != null)) {
        report.error(
            line, whole, "icaps:// beside options of TLS", "without it, nothing is encrypted");
        return null;
      }
      Overload reaction = bypass ? Overload.BYPASS : Overload.WAIT;
      return new IcapService(
          name,
          responses,
          whole,
          host,
          port,
          secure ? new IcapService.Tls(domain == null ? host : domain, words) : null,
          bypass,
          overload == null ? reaction : overload,
          routing,
          maxConnections,
          new ServiceCounts(name));
    }

    private static boolean isVisible(String text) {
      return text.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }
  }

  @Override
  public void end() {
    if (!reading.value(AdaptationDirectives.ICAP_ENABLE)) {
      lines.forEach(line -> noEffect(report, line));
    }
  }

  static void noEffect(Report report, Line line) {
    report.warning(line, "", "", OFF);
    report.verdict(line, Verdict.WITHOUT_EFFECT, OFF);
  }

  @Override
  public Map<String, IcapService> value() {
    return new LinkedHashMap<>(services);
  }
}
