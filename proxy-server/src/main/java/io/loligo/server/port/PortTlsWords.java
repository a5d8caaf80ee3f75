package io.loligo.server.port;

import io.loligo.core.config.Line;
import io.loligo.core.config.Option;
import io.loligo.core.config.Report;
import io.loligo.server.tls.TlsFlag;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tls.TlsWords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the words about TLS of one line of a port. Confined to one thread. */
public final class PortTlsWords {
  /** Words with another name than the ones that all lines share. */
  private static final Map<String, String> SHARED =
      Map.ofEntries(
          Map.entry("tls-cert", "cert"),
          Map.entry("cert", "cert"),
          Map.entry("tls-key", "key"),
          Map.entry("key", "key"),
          Map.entry("cipher", "cipher"),
          Map.entry("options", "options"),
          Map.entry("cafile", "cafile"),
          Map.entry("tls-cafile", "cafile"),
          Map.entry("capath", "capath"),
          Map.entry("crlfile", "crlfile"),
          Map.entry("sslflags", "flags"),
          Map.entry("tls-default-ca", "default-ca"),
          Map.entry("tls-no-npn", "no-npn"),
          Map.entry("tls-min-version", "min-version"),
          Map.entry("version", "version"));

  /** Words about algorithms that are not in use, or about names that nobody sees. */
  private static final Set<String> OBSOLETE = Set.of("tls-dh", "dhparams", "sslcontext");

  private final Line line;
  private final Report report;
  private final TlsWords words;
  private final List<String> clientCa = new ArrayList<>();
  private boolean given;

  /** Words of {@code line}; problems go to {@code report}. */
  public PortTlsWords(Line line, Report report) {
    this.line = line;
    this.report = report;
    this.words = new TlsWords(line, report);
  }

  /**
   * Takes a word.
   *
   * @param word as written
   * @return whether it is about TLS
   */
  public boolean take(String word) {
    Option option = Option.of(word);
    String shared = SHARED.get(option.name());
    if (shared != null) {
      words.take(word, shared, option.value());
    } else if (option.name().equals("clientca")) {
      clientCa(option);
    } else if (OBSOLETE.contains(option.name())) {
      report.warning(line, word, "", "accepted without effect: obsolete");
    } else {
      return false;
    }
    given = true;
    return true;
  }

  private void clientCa(Option option) {
    if (option.value() == null || option.value().isEmpty()) {
      report.error(line, option.name(), "clientca=VALUE", "");
    } else {
      clientCa.add(option.value());
    }
  }

  /** Whether any word was taken. */
  public boolean given() {
    return given;
  }

  /** The options that lines about TLS share. Once, after the last word. */
  TlsOptions options() {
    return words.options();
  }

  /** The TLS of the port. Once, after the last word, instead of {@link #options}. */
  public PortTls tls() {
    TlsOptions options = words.options();
    if (options.certificates().isEmpty()) {
      report.error(line, line.values().get(0), "tls-cert=FILE", "a TLS port needs a certificate");
    }
    boolean named =
        !options.caFiles().isEmpty() || options.caPath() != null || options.crlFile() != null;
    if (clientCa.isEmpty() && named) {
      report.restricts(
          line, "tls-cafile=", "certificates of clients are requested by clientca=FILE only");
    }
    if (options.has(TlsFlag.DELAYED_AUTH)) {
      report.restricts(
          line, "DELAYED_AUTH", "certificates are requested in the handshake or not at all");
    }
    return new PortTls(options, clientCa, !options.has(TlsFlag.CONDITIONAL_AUTH));
  }
}
