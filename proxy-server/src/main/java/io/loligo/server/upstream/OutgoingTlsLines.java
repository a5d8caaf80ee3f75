package io.loligo.server.upstream;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.server.tls.TlsFlag;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tls.TlsVersion;
import io.loligo.server.tls.TlsWords;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code tls_outgoing_options} and the older directives that it replaces: {@code
 * sslproxy_cafile} is {@code cafile=}, and so on. The words of all lines count together. Confined
 * to one thread.
 */
final class OutgoingTlsLines implements LineReader<OutgoingTls> {
  private static final String FORM = "cert=FILE, cafile=FILE, flags=FLAGS, ... or disable";

  /** A word and its line. */
  private record Word(Line line, String word, String name, @Nullable String value) {}

  private final Report report;
  private final List<Word> words = new ArrayList<>();
  private boolean enabled = true;

  private OutgoingTlsLines(Reading reading) {
    this.report = reading.report();
  }

  /** The reader of {@code tls_outgoing_options} lines. */
  static OutgoingTlsLines of(Reading reading) {
    return reading.shared(OutgoingTlsLines.class, OutgoingTlsLines::new);
  }

  /** The reader of an older directive, whose value is that of the option {@code name}. */
  static LineReader<@Nullable Void> older(Reading reading, String name) {
    OutgoingTlsLines lines = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        lines.readOlder(line, name);
      }

      @Override
      @SuppressWarnings("NullAway") // the T of this reader may be null
      public @Nullable Void value() {
        return null;
      }
    };
  }

  @Override
  public void read(Line line) {
    if (line.values().isEmpty()) {
      report.error(line, "", FORM, "");
    }
    for (String word : line.values()) {
      Option option = Option.of(word);
      if (word.equals("disable")) {
        enabled = false;
      } else {
        words.add(new Word(line, word, option.name(), option.value()));
      }
    }
  }

  private void readOlder(Line line, String name) {
    if (line.values().isEmpty()) {
      report.error(line, "", "one value", "");
      return;
    }
    if (line.values().size() > 1) {
      String more = String.join(" ", line.values().subList(1, line.values().size()));
      report.warning(line, more, "one value", "ignored, as in Squid");
    }
    String value = line.values().get(0);
    report.warning(line, "", "tls_outgoing_options " + name + "=" + value, "an older name");
    words.add(new Word(line, value, name, value));
  }

  @Override
  public OutgoingTls value() {
    TlsOptions all = TlsOptions.DEFAULT;
    for (Map.Entry<Line, TlsWords> each : taken().entrySet()) {
      all = both(all, each.getValue().options());
      if (all.versions().isEmpty()) {
        report.error(each.getKey(), "", "TLS 1.2 or TLS 1.3", "the lines exclude both");
        all = TlsOptions.DEFAULT;
      }
    }
    return new OutgoingTls(all, enabled);
  }

  /** The words of each line. A key belongs to the line of its certificate. */
  private Map<Line, TlsWords> taken() {
    Map<Line, TlsWords> byLine = new LinkedHashMap<>();
    List<Word> ordered = new ArrayList<>(words);
    ordered.sort((a, b) -> Boolean.compare(a.name().equals("key"), b.name().equals("key")));
    TlsWords certified = null;
    for (Word each : ordered) {
      TlsWords own = byLine.computeIfAbsent(each.line(), line -> new TlsWords(line, report));
      boolean isKey = each.name().equals("key");
      if (each.name().equals("cert")) {
        certified = own;
      }
      TlsWords taker = isKey && certified != null ? certified : own;
      if (!taker.take(each.word(), each.name(), each.value())) {
        report.error(each.line(), each.word(), FORM, "");
      }
    }
    return byLine;
  }

  private static TlsOptions both(TlsOptions one, TlsOptions other) {
    Set<TlsVersion> versions = new HashSet<>(one.versions());
    versions.retainAll(other.versions());
    Set<TlsFlag> flags = new HashSet<>(one.flags());
    flags.addAll(other.flags());
    boolean suites = !other.suites().equals(TlsOptions.DEFAULT.suites());
    return TlsOptions.builder()
        .certificates(joined(one.certificates(), other.certificates()))
        .versions(Set.copyOf(versions))
        .suites(suites ? other.suites() : one.suites())
        .caFiles(joined(one.caFiles(), other.caFiles()))
        .caPath(other.caPath() == null ? one.caPath() : other.caPath())
        .crlFile(other.crlFile() == null ? one.crlFile() : other.crlFile())
        .flags(Set.copyOf(flags))
        .tickets(one.tickets() && other.tickets())
        .defaultCa(other.defaultCa() == null ? one.defaultCa() : other.defaultCa())
        .build();
  }

  private static <T> List<T> joined(List<T> one, List<T> other) {
    List<T> all = new ArrayList<>(one);
    all.addAll(other);
    return List.copyOf(all);
  }
}
