package io.loligo.server.login;

import io.loligo.server.helper.HelperProgram;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The schemes of a configuration that have a program. Immutable.
 *
 * @param all in the order of their first lines; empty: nobody can log in
 */
public record AuthSchemes(List<SchemeSettings> all) {
  /** A copy of {@code all} is kept. */
  public AuthSchemes {
    all = List.copyOf(all);
  }

  /** The scheme basic; null: it has no program. */
  public @Nullable BasicSettings basic() {
    return of(BasicSettings.class);
  }

  /** The scheme whose settings are of {@code type}; null: it has no program. */
  <S extends SchemeSettings> @Nullable S of(Class<S> type) {
    return all.stream().filter(type::isInstance).map(type::cast).findFirst().orElse(null);
  }

  /** The programs that run as helpers. */
  public List<HelperProgram> helpers() {
    return all.stream().map(SchemeSettings::helper).filter(Objects::nonNull).toList();
  }
}
