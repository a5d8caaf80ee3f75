package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.helper.AnswerTerms;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperDirectives;
import io.loligo.server.helper.HelperProgram;

/**
 * One {@code external_acl_type}. Immutable.
 *
 * @param form of its questions
 * @param words of the form as written
 */
public record ExternalAclType(
    String name,
    ExternalForm form,
    String words,
    ExternalCommand command,
    HelperChildren children,
    long ttlSeconds,
    long negativeTtlSeconds,
    int gracePercent,
    int entries) {
  /** Its program and how long its answers are kept, under {@code config}. */
  public AnswerTerms terms(ProxyConfig config) {
    HelperProgram program =
        new HelperProgram(
                ExternalAclDirectives.EXTERNAL_ACL_TYPE.name() + " " + name,
                command.words(),
                children,
                config.get(HelperDirectives.HELPER_TIMEOUT),
                false)
            .inside(command.inside(config));
    return new AnswerTerms(program, words, ttlSeconds, negativeTtlSeconds, gracePercent, entries);
  }
}
