package io.loligo.core.config;

import io.loligo.core.config.Directive.Reload;
import io.loligo.core.config.Directive.Status;
import java.util.List;

/** Builds a {@link Directive} in a readable line or two. Confined to one thread. */
final class Declaration {
  private final String name;
  private List<String> aliases = List.of();
  private ValueType type = ValueType.LINE;
  private String form;
  private String defaultText = "";
  private String squidDefault;
  private String why;
  private long min;
  private long max = Long.MAX_VALUE;
  private String unlimited;
  private List<String> choices = List.of();
  private Reload reload = Reload.LIVE;
  private Status status = Status.USED;
  private boolean secret;
  private String note = "";

  /** Names: the first is the directive's, the others are older spellings. */
  Declaration(String... names) {
    name = names[0];
    aliases = List.of(names).subList(1, names.length);
  }

  Declaration type(ValueType type, String defaultText) {
    this.type = type;
    this.defaultText = defaultText;
    return this;
  }

  Declaration line(String form) {
    this.type = ValueType.LINE;
    this.form = form;
    return this;
  }

  Declaration rules(String defaultText) {
    return type(ValueType.RULES, defaultText);
  }

  Declaration choice(String defaultText, String... words) {
    choices = List.of(words);
    return type(ValueType.CHOICE, defaultText);
  }

  Declaration form(String form) {
    this.form = form;
    return this;
  }

  Declaration range(long min, long max) {
    this.min = min;
    this.max = max;
    return this;
  }

  Declaration noLimit() {
    return noLimit("no limit");
  }

  /** The word none and -1 mean {@code meaning}. */
  Declaration noLimit(String meaning) {
    unlimited = meaning;
    return this;
  }

  Declaration reload(Reload reload) {
    this.reload = reload;
    return this;
  }

  Declaration status(Status status) {
    this.status = status;
    return this;
  }

  Declaration secret() {
    secret = true;
    return this;
  }

  Declaration squid(String squidDefault, String why) {
    this.squidDefault = squidDefault;
    this.why = why;
    return this;
  }

  Declaration difference(String note) {
    this.status = Status.USED_WITH_DIFFERENCE;
    this.note = note;
    return this;
  }

  Declaration note(String note) {
    this.note = note;
    return this;
  }

  /** The paragraph; ends the declaration. */
  Directive text(String text) {
    String written =
        form != null ? form : type == ValueType.CHOICE ? String.join("|", choices) : type.form();
    return new Directive(
        name,
        aliases,
        type,
        written,
        defaultText,
        squidDefault,
        why,
        min,
        max,
        unlimited,
        choices,
        reload,
        status,
        secret,
        text,
        note);
  }
}
