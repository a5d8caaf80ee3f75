package io.loligo.server.port;

import io.loligo.core.config.HostPort;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.server.bump.BumpAction;
import io.loligo.server.bump.BumpDirectives;
import io.loligo.server.bump.BumpRules;
import io.loligo.server.tls.TlsOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads {@code http_port} and {@code https_port} lines. Confined to one thread. */
final class PortLines {
  /** The limit of Linux; other systems accept more. */
  private static final int MOST_KEEP_ALIVE_SECONDS = 32_767;

  private static final int MOST_PROBES = 127;
  private static final Set<String> TLS =
      Set.of(
          "tls-cert",
          "cert",
          "tls-key",
          "key",
          "cipher",
          "options",
          "clientca",
          "cafile",
          "tls-cafile",
          "capath",
          "crlfile",
          "tls-dh",
          "dhparams",
          "sslflags",
          "sslcontext",
          "tls-default-ca",
          "tls-no-npn",
          "tls-min-version",
          "version");
  private static final Set<String> IDENTIFYING =
      Set.of("intercept", "transparent", "tproxy", "connection-auth");

  /** The modes of a clear-text port that intercepts. */
  private static final Map<String, Interception> INTERCEPTIONS =
      Map.of(
          "intercept",
          Interception.NAT,
          "transparent",
          Interception.NAT,
          "tproxy",
          Interception.TPROXY);

  private static final Set<String> TUNING =
      Set.of("disable-pmtu-discovery", "act-as-origin", "worker-queues", "no-connection-auth");

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,9}) ?(bytes|B|KB|MB|GB)?");

  private final Reading reading;
  private final Report report;
  private final List<HttpPort> clear = new ArrayList<>();
  private final List<HttpPort> secure = new ArrayList<>();
  private final List<OnePort> bumping = new ArrayList<>();
  private final String file;
  private boolean given;

  private PortLines(Reading reading) {
    this.reading = reading;
    this.report = reading.report();
    this.file = reading.file();
  }

  private static PortLines of(Reading reading) {
    return reading.shared(PortLines.class, PortLines::new);
  }

  /** The reader of {@code http_port} lines. */
  static LineReader<List<HttpPort>> http(Reading reading) {
    PortLines lines = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        lines.read(line, false);
      }

      @Override
      public void end() {
        lines.end();
      }

      @Override
      public List<HttpPort> value() {
        return List.copyOf(lines.clear);
      }
    };
  }

  /** The reader of {@code https_port} lines. */
  static LineReader<List<HttpPort>> https(Reading reading) {
    PortLines lines = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        lines.read(line, true);
      }

      @Override
      public List<HttpPort> value() {
        return List.copyOf(lines.secure);
      }
    };
  }

  private void read(Line line, boolean tls) {
    given = true;
    List<String> values = line.values();
    HostPort place = values.isEmpty() ? null : HostPort.parse(values.get(0));
    if (place == null) {
      String value = values.isEmpty() ? "" : values.get(0);
      report.error(line, value, "PORT, ADDRESS:PORT or [IPV6]:PORT up to 65535", "");
      return;
    }
    OnePort port = new OnePort(line, place, tls);
    for (String word : values.subList(1, values.size())) {
      port.option(word);
    }
    port.finish();
  }

  private void end() {
    if (!given) {
      report.error(file, "http_port", "at least one line", "add: http_port 3128");
    }
    BumpRules bump = reading.value(BumpDirectives.SSL_BUMP);
    if (bump.have(BumpAction.BUMP) || bump.have(BumpAction.STARE)) {
      boolean someDecrypt = bumping.stream().anyMatch(OnePort::canDecrypt);
      bumping.stream()
          .filter(port -> !port.canDecrypt())
          .forEach(p -> p.lacksAuthority(someDecrypt));
    }
    List<Line> rules = reading.lines(BumpDirectives.SSL_BUMP);
    if (bumping.isEmpty() && !reading.value(BumpDirectives.SSL_BUMP).onlySplice()) {
      report.warning(rules.get(0), "", "a port with ssl-bump", "no tunnel is inspected");
    }
  }

  /** The options of one line. */
  private final class OnePort {
    private final Line line;
    private final HostPort place;
    private boolean accel;
    private Interception interception = Interception.NONE;
    private @Nullable String interceptOption;
    private boolean usable = true;
    private @Nullable String accelOption;
    private @Nullable String defaultSite;
    private @Nullable String implied;
    private boolean vhost = true;
    private int vport = -1;
    private String protocol;
    private @Nullable String name;
    private boolean allowDirect;
    private boolean ignoreCc;
    private boolean h2c;
    private boolean proxyHeader;
    private boolean ipv4;
    private KeepAlive keepAlive = KeepAlive.SYSTEM;
    private final boolean secure;
    private final PortTlsWords words;

    /** Words of TLS that only make sense on a TLS port, or beside ssl-bump. */
    private final List<String> ofTls = new ArrayList<>();

    private boolean bump;
    private @Nullable PortBump bumped;
    private boolean generates = true;
    private long cacheBytes = PortBump.DEFAULT_CACHE_BYTES;

    OnePort(Line line, HostPort place, boolean secure) {
      this.line = line;
      this.place = place;
      this.protocol = secure ? "https" : "http";
      this.secure = secure;
      this.words = new PortTlsWords(line, report);
    }

    void option(String word) {
      Option option = Option.of(word);
      switch (option.name()) {
        case "accel" -> accel = true;
        case "defaultsite" -> {
          accelOption = word;
          defaultSite = needed(option);
        }
        case "vhost" -> {
          implied = word;
          vhost = true;
        }
        case "no-vhost" -> {
          accelOption = word;
          vhost = false;
        }
        case "vport" -> vport(word, option);
        case "protocol" -> protocol(word, option);
        case "name" -> name = needed(option);
        case "allow-direct" -> {
          accelOption = word;
          allowDirect = true;
        }
        case "ignore-cc" -> {
          accelOption = word;
          ignoreCc = true;
        }
        case "h2c" -> h2c = true;
        case "ssl-bump" -> bump = true;
        case "generate-host-certificates" -> generates = generates(word, option);
        case "dynamic_cert_mem_cache_size" -> cacheSize(word, option);
        case "require-proxy-header" -> proxyHeader = true;
        case "tcpkeepalive" -> keepAlive(option);
        case "ipv4" -> onlyIpv4(word);
        default -> other(word, option);
      }
    }

    private void other(String word, Option option) {
      Interception mode = INTERCEPTIONS.get(word);
      if (TLS.contains(option.name()) && !secure) {
        ofTls.add(word);
      }
      if (mode != null) {
        intercept(word, mode);
      } else if (words.take(word)) {
        return;
      } else if (word.equals("connection-auth=off") || word.equals("connection-auth=on")) {
        report.warning(line, word, "", "accepted without effect: connections are not bound");
      } else if (IDENTIFYING.contains(option.name())) {
        report.restricts(line, word, "this mode is not in this version");
        usable = false;
      } else if (TUNING.contains(option.name())) {
        report.warning(line, word, "", "accepted without effect");
      } else {
        report.error(line, word, "an option of " + line.directive(), "remove the option");
      }
    }

    private void intercept(String word, Interception mode) {
      if (interceptOption != null && interception != mode) {
        report.error(line, word, "one of intercept and tproxy", "");
      }
      interception = mode;
      interceptOption = word;
    }

    private void onlyIpv4(String word) {
      if (place.address().indexOf(':') >= 0) {
        report.error(line, word, "a port without an address of IPv6", "");
      }
      ipv4 = true;
    }

    private boolean generates(String word, Option option) {
      if (option.value() != null && !option.value().equals("on") && !option.value().equals("off")) {
        report.error(line, word, "generate-host-certificates=on or =off", "");
      }
      return !"off".equals(option.value());
    }

    private void cacheSize(String word, Option option) {
      Matcher size = SIZE.matcher(option.value() == null ? "" : option.value());
      if (!size.matches()) {
        report.error(line, word, "dynamic_cert_mem_cache_size=NUMBER with KB, MB or GB", "");
        return;
      }
      String unit = size.group(2) == null ? "" : size.group(2);
      int shift =
          switch (unit) {
            case "KB" -> 10;
            case "MB" -> 20;
            case "GB" -> 30;
            default -> 0;
          };
      cacheBytes = Long.parseLong(size.group(1)) << shift;
    }

    private @Nullable String needed(Option option) {
      if (option.value() == null || option.value().isEmpty()) {
        report.error(line, option.name(), option.name() + "=VALUE", "");
        return null;
      }
      return option.value();
    }

    private void vport(String word, Option option) {
      accelOption = word;
      vport = option.value() == null ? 0 : option.number(65_535);
      if (vport < 0 || (vport == 0 && option.value() != null)) {
        report.error(line, word, "vport or vport=PORT from 1 to 65535", "");
      }
    }

    private void protocol(String word, Option option) {
      accelOption = word;
      String value = option.value() == null ? "" : option.value().toLowerCase(Locale.ROOT);
      switch (value) {
        case "http", "http/1.1" -> protocol = "http";
        case "https", "https/1.1" -> protocol = "https";
        default -> report.error(line, word, "protocol=http or protocol=https", "");
      }
    }

    private void keepAlive(Option option) {
      if (option.value() == null) {
        return;
      }
      if (option.value().equals("off")) {
        keepAlive = KeepAlive.OFF;
        return;
      }
      if (!option.value().matches("[0-9]{1,6}(,[0-9]{1,6}(,[0-9]{1,6})?)?")) {
        report.error(line, option.value(), "tcpkeepalive=IDLE[,INTERVAL,TIMEOUT] in seconds", "");
        return;
      }
      String[] seconds = option.value().split(",", -1);
      int interval = seconds.length > 1 ? Integer.parseInt(seconds[1]) : 0;
      int timeout = seconds.length > 2 ? Integer.parseInt(seconds[2]) : 0;
      keepAlive = new KeepAlive(true, Integer.parseInt(seconds[0]), interval, timeout);
      if (keepAlive.idleSeconds() > MOST_KEEP_ALIVE_SECONDS || interval > MOST_KEEP_ALIVE_SECONDS) {
        String most = "IDLE and INTERVAL up to " + MOST_KEEP_ALIVE_SECONDS + " seconds";
        report.error(line, option.value(), most, "");
      } else if (keepAlive.probes() > MOST_PROBES) {
        String most = "TIMEOUT up to " + MOST_PROBES + " times INTERVAL";
        report.error(line, option.value(), most, "");
      } else if (timeout > 0 && interval == 0) {
        report.warning(line, option.value(), "an INTERVAL beside TIMEOUT", "TIMEOUT is ignored");
      }
    }

    void finish() {
      if (!accel && implied != null) {
        report.warning(line, implied, "accel mode with this option", "taken as accel, as in Squid");
        accel = true;
      }
      if (accel && interceptOption != null) {
        report.error(line, interceptOption, "a port without accel", "remove one of the two");
      }
      if (!accel && accelOption != null) {
        report.error(line, accelOption, "accel mode with this option", "add accel");
      }
      if (isListed()) {
        return;
      }
      if (!bump) {
        for (String word : ofTls) {
          report.warning(line, word, "", "ignored, as in Squid: TLS is spoken on an https_port");
        }
      } else if (accel || h2c) {
        String other = accel ? "accel" : "h2c";
        report.error(line, "ssl-bump", "a port without " + other, "it has no tunnels");
      }
      if (secure && !bump && interceptOption != null) {
        report.error(line, interceptOption, "ssl-bump beside it", "or use http_port");
      }
      if (bump) {
        bumped = bumped();
        bumping.add(this);
      }
      PortTls secured = secure && interceptOption == null ? words.tls() : null;
      if (usable) {
        List<HttpPort> ports = secure ? PortLines.this.secure : clear;
        ports.add(
            HttpPort.at(address(), place.port())
                .name(name == null ? line.values().get(0) : name)
                .sharedName(name)
                .accel(
                    accel
                        ? new Accel(defaultSite, vhost, vport, protocol, allowDirect, ignoreCc)
                        : null)
                .interception(interception)
                .tls(secured)
                .bump(bumped)
                .h2c(h2c)
                .proxyHeader(proxyHeader)
                .keepAlive(keepAlive)
                .source(line.source())
                .build());
      }
    }

    /** Whether a line above has the same port. */
    private boolean isListed() {
      for (HttpPort other :
          Stream.concat(clear.stream(), PortLines.this.secure.stream()).toList()) {
        boolean same = other.port() != 0 && other.port() == place.port();
        if (same && other.address().equals(address())) {
          String why = "the line is left out: the port stands at " + other.source();
          report.warning(line, place.text(), "a port not listed yet", why);
          report.verdict(line, Verdict.WITHOUT_EFFECT, why);
          return true;
        }
      }
      return false;
    }

    private String address() {
      return ipv4 && place.address().isEmpty() ? "0.0.0.0" : place.address();
    }

    private PortBump bumped() {
      TlsOptions options = words.options();
      boolean intercepts = secure && interceptOption != null;
      return new PortBump(
          generates ? options : options.withoutCertificates(), cacheBytes, intercepts);
    }

    /** A tunnel is decrypted only by a port that can make certificates. */
    boolean canDecrypt() {
      return bumped == null
          || bumped.options().certificates().size() >= (hasOwnCertificate() ? 2 : 1);
    }

    private boolean hasOwnCertificate() {
      return secure && interceptOption == null;
    }

    /**
     * Reports that the lines that say bump or stare cannot hold for this port.
     *
     * @param othersDecrypt whether they can for another port: they may be about that one
     */
    void lacksAuthority(boolean othersDecrypt) {
      String expected =
          (hasOwnCertificate() ? "tls-cert=FILE of the port, and " : "")
              + "tls-cert=FILE of an authority, and not generate-host-certificates=off";
      if (othersDecrypt) {
        String why = "tunnels of this port that ssl_bump would decrypt are ended";
        report.warning(line, "ssl-bump", expected, why);
        report.verdict(line, Verdict.USED_WITH_DIFFERENCE, why);
      } else {
        report.error(line, "ssl-bump", expected, "an ssl_bump line says bump or stare");
      }
    }
  }
}
