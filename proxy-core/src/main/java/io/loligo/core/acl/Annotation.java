package io.loligo.core.acl;

import java.util.List;

/**
 * One {@code name=value} or {@code name+=value} of an {@code annotate_transaction} or {@code
 * annotate_client} ACL. Immutable.
 *
 * @param tokens the value, cut at its delimiters, without empty ones
 * @param replaces whether it replaces notes of the same name
 */
record Annotation(String name, List<String> tokens, boolean replaces) {
  /** {@code notes} with this one. A note that is there already is not added again. */
  Notes addTo(Notes notes) {
    Notes result = replaces ? notes.without(name) : notes;
    for (String token : tokens) {
      result = result.has(name, token) ? result : result.with(name, token);
    }
    return result;
  }

  /** {@code notes} with all of {@code annotations}, in their order. */
  static Notes addAll(List<Annotation> annotations, Notes notes) {
    Notes result = notes;
    for (Annotation one : annotations) {
      result = one.addTo(result);
    }
    return result;
  }
}
