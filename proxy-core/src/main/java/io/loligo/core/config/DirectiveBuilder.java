package io.loligo.core.config;

import io.loligo.core.config.Directive.Reload;
import io.loligo.core.config.Directive.Status;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the parts of a {@link Directive}. Confined to one thread. */
final class DirectiveBuilder {
  final String name;
  List<String> aliases = List.of();
  ValueType type = ValueType.LINE;
  String form = "";
  String defaultText = "";
  @Nullable String squidDefault;
  @Nullable String why;
  long min;
  long max = Long.MAX_VALUE;
  @Nullable String unlimited;
  List<String> choices = List.of();
  Reload reload = Reload.LIVE;
  String restartReason = "";
  Status status = Status.USED;
  boolean secret;
  boolean raised;
  boolean lowered;
  Map<String, String> readAs = Map.of();
  String note = "";
  String text = "";
  @Nullable WordCheck check;

  /** Names: the first is the directive's, the others are older spellings. */
  DirectiveBuilder(String... names) {
    name = names[0];
    aliases = List.of(names).subList(1, names.length);
  }

  DirectiveBuilder type(ValueType type, String defaultText) {
    this.type = type;
    this.defaultText = defaultText;
    return this;
  }

  DirectiveBuilder line(String form) {
    this.type = ValueType.LINE;
    this.form = form;
    return this;
  }

  DirectiveBuilder rules(String defaultText) {
    return type(ValueType.RULES, defaultText);
  }

  DirectiveBuilder choice(String defaultText, String... words) {
    choices = List.of(words);
    return type(ValueType.CHOICE, defaultText);
  }

  DirectiveBuilder form(String form) {
    this.form = form;
    return this;
  }

  DirectiveBuilder range(long min, long max) {
    this.min = min;
    this.max = max;
    return this;
  }

  DirectiveBuilder noLimit() {
    return noLimit("no limit");
  }

  /** The word none and -1 mean {@code meaning}. */
  DirectiveBuilder noLimit(String meaning) {
    unlimited = meaning;
    return this;
  }

  DirectiveBuilder reload(Reload reload) {
    this.reload = reload;
    return this;
  }

  /** A changed value needs a restart. */
  DirectiveBuilder restart(String reason) {
    if (reason.isBlank()) {
      throw new IllegalArgumentException(name + ": a restart needs a reason");
    }
    restartReason = reason;
    return reload(Reload.RESTART);
  }

  DirectiveBuilder status(Status status) {
    this.status = status;
    return this;
  }

  /** A number below the least one is read as that, with a warning. */
  DirectiveBuilder raised() {
    raised = true;
    return this;
  }

  /** A number above the greatest one is read as that, with a warning. */
  DirectiveBuilder lowered() {
    lowered = true;
    return this;
  }

  /** {@code word} is read as {@code other}, with a warning. */
  DirectiveBuilder readAs(String word, String other) {
    readAs = Map.of(word, other);
    return this;
  }

  DirectiveBuilder secret() {
    secret = true;
    return this;
  }

  DirectiveBuilder squid(String squidDefault, String why) {
    this.squidDefault = squidDefault;
    this.why = why;
    return this;
  }

  DirectiveBuilder difference(String note) {
    this.status = Status.USED_WITH_DIFFERENCE;
    this.note = note;
    return this;
  }

  DirectiveBuilder note(String note) {
    this.note = note;
    return this;
  }

  DirectiveBuilder alias(String... names) {
    aliases = List.of(names);
    return this;
  }

  /** Only words that {@code check} accepts are valid. */
  DirectiveBuilder check(WordCheck check) {
    this.check = check;
    return this;
  }

  /** The paragraph of the reference page; ends the declaration. */
  Directive text(String text) {
    this.text = text;
    if (form.isEmpty()) {
      form = type == ValueType.CHOICE ? String.join("|", choices) : type.form();
    }
    return new Directive(this);
  }
}
