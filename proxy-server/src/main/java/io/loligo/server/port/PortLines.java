package io.loligo.server.port;

import io.loligo.core.config.HostPort;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code http_port} lines. Confined to one thread. */
final class PortLines implements LineReader<List<HttpPort>> {
  /** The limit of Linux; other systems accept more. */
  private static final int MOST_KEEP_ALIVE_SECONDS = 32_767;

  private static final int MOST_PROBES = 127;
  private static final Set<String> TLS =
      Set.of(
          "ssl-bump",
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
          "version",
          "generate-host-certificates",
          "dynamic_cert_mem_cache_size");
  private static final Set<String> IDENTIFYING =
      Set.of("intercept", "transparent", "tproxy", "require-proxy-header", "connection-auth");
  private static final Set<String> TUNING =
      Set.of("disable-pmtu-discovery", "act-as-origin", "worker-queues", "no-connection-auth");

  private final Report report;
  private final List<HttpPort> ports = new ArrayList<>();
  private final String file;
  private boolean given;

  PortLines(Reading reading) {
    this.report = reading.report();
    this.file = reading.file();
  }

  @Override
  public List<HttpPort> value() {
    return List.copyOf(ports);
  }

  @Override
  public void read(Line line) {
    given = true;
    List<String> values = line.values();
    HostPort place = values.isEmpty() ? null : HostPort.parse(values.get(0));
    if (place == null) {
      String value = values.isEmpty() ? "" : values.get(0);
      report.error(line, value, "PORT, ADDRESS:PORT or [IPV6]:PORT up to 65535", "");
      return;
    }
    OnePort port = new OnePort(line, place);
    for (String word : values.subList(1, values.size())) {
      port.option(word);
    }
    port.finish();
  }

  @Override
  public void end() {
    if (!given) {
      report.error(file, "http_port", "at least one line", "add: http_port 3128");
    }
  }

  /** The options of one line. */
  private final class OnePort {
    private final Line line;
    private final HostPort place;
    private boolean accel;
    private boolean usable = true;
    private @Nullable String accelOption;
    private @Nullable String defaultSite;
    private boolean vhost = true;
    private int vport = -1;
    private String protocol = "http";
    private @Nullable String name;
    private boolean allowDirect;
    private boolean ignoreCc;
    private KeepAlive keepAlive = KeepAlive.SYSTEM;

    OnePort(Line line, HostPort place) {
      this.line = line;
      this.place = place;
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
          accelOption = word;
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
        case "tcpkeepalive" -> keepAlive(option);
        default -> other(word, option);
      }
    }

    private void other(String word, Option option) {
      if (TLS.contains(option.name())) {
        usable &= report.restricts(line, word, "this version has no TLS ports");
      } else if (word.equals("connection-auth=off") || word.equals("connection-auth=on")) {
        report.warning(line, word, "", "accepted without effect: connections are not bound");
      } else if (IDENTIFYING.contains(option.name())) {
        report.restricts(line, word, "this mode is not in this version");
        usable = false;
      } else if (TUNING.contains(option.name())) {
        report.warning(line, word, "", "accepted without effect");
      } else {
        report.error(line, word, "an option of http_port", "remove the option");
      }
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
      if (!accel && accelOption != null) {
        report.error(line, accelOption, "accel mode with this option", "add accel");
      }
      for (HttpPort other : ports) {
        boolean same = other.port() != 0 && other.port() == place.port();
        if (same && other.address().equals(place.address())) {
          report.error(
              line, place.text(), "a port not listed yet", "it stands at " + other.source());
        }
      }
      if (usable) {
        ports.add(
            new HttpPort(
                place.address(),
                place.port(),
                name == null ? line.values().get(0) : name,
                accel
                    ? new Accel(defaultSite, vhost, vport, protocol, allowDirect, ignoreCc)
                    : null,
                keepAlive,
                line.source()));
      }
    }
  }
}
