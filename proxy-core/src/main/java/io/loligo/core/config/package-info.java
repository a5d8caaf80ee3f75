/**
 * Squid's configuration language: reading files, checking lines, and the values of settings.
 *
 * <p>A {@link io.loligo.core.config.Setting} is the one declaration of a directive. Features
 * declare theirs in a class {@code ...Directives} beside the use, in any module. This package does
 * not know them: {@link io.loligo.core.config.Directives} gets a list. It uses {@code
 * io.loligo.core.acl} and {@code io.loligo.core.message}. A reading is confined to one thread; a
 * {@link io.loligo.core.config.ProxyConfig} is immutable.
 */
@NullMarked
package io.loligo.core.config;

import org.jspecify.annotations.NullMarked;
