package io.loligo.server.login;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Reads {@code auth_param} lines of all schemes. Confined to one thread. */
final class AuthParamLines implements LineReader<AuthSchemes> {
  private final Reading reading;
  private final Report report;

  /** By scheme, in the order of their first lines. */
  private final Map<String, SchemeLines> schemes = new LinkedHashMap<>();

  AuthParamLines(Reading reading) {
    this.reading = reading;
    this.report = reading.report();
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 3) {
      report.error(line, String.join(" ", values), "SCHEME PARAMETER VALUE...", "");
      return;
    }
    String scheme = values.get(0);
    String parameter = values.get(1);
    List<String> words = values.subList(2, values.size());
    switch (scheme) {
      case "basic" -> of(scheme, new BasicLines(reading)).read(line, parameter, words);
      case "digest" -> of(scheme, new DigestLines(reading)).read(line, parameter, words);
      case "negotiate", "ntlm" ->
          of(scheme, new TokenLines(scheme, reading)).read(line, parameter, words);
      default -> report.error(line, scheme, "basic, digest, ntlm or negotiate", "");
    }
  }

  private SchemeLines of(String scheme, SchemeLines unread) {
    SchemeLines known = schemes.putIfAbsent(scheme, unread);
    return known == null ? unread : known;
  }

  @Override
  public void end() {
    schemes.values().forEach(SchemeLines::end);
  }

  @Override
  public AuthSchemes value() {
    return new AuthSchemes(
        schemes.values().stream().map(SchemeLines::value).filter(Objects::nonNull).toList());
  }
}
