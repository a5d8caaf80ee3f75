package io.loligo.server.exchange.settings.programs;

import io.loligo.core.acl.AclList;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.helper.HelperProgram;

/**
 * A program that is asked about the URLs of requests. Immutable.
 *
 * @param helper runs it
 * @param access which requests it is asked about
 * @param bypass whether requests do not wait for a busy helper
 * @param extras the text behind the URL
 */
public record UrlProgram(HelperProgram helper, AclList access, boolean bypass, LogFormat extras) {}
