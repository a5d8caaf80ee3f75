package io.loligo.server.exchange.settings.programs;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperProgram;
import java.util.List;

/** The directives of one {@link UrlProgram}. Immutable. */
record UrlProgramDirectives(
    Setting<List<String>> program,
    Setting<HelperChildren> children,
    Setting<AclList> access,
    Setting<Boolean> bypass,
    Setting<LogFormat> extras) {
  /** Whether {@code config} names a program. */
  boolean areUsed(ProxyConfig config) {
    return !config.get(program).isEmpty();
  }

  /**
   * The program that {@code config} names.
   *
   * @param timeoutMillis the time within which a question must be answered
   * @param asksAgain whether a question without an answer in time is asked again
   */
  UrlProgram in(ProxyConfig config, long timeoutMillis, boolean asksAgain) {
    boolean bypassed = config.get(bypass);
    HelperChildren run = config.get(children);
    HelperProgram helper =
        new HelperProgram(
            program.name(),
            config.get(program),
            bypassed ? run.bypassed() : run,
            timeoutMillis,
            asksAgain);
    return new UrlProgram(helper, config.get(access), bypassed, config.get(extras));
  }
}
