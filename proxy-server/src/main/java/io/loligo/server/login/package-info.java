/**
 * Users and their passwords: who a user is, and how a password is checked.
 *
 * <p>{@code exchange.login} asks for the user of a request, and {@code boot} makes the parts. A
 * program that checks passwords implements {@link PasswordCheck}. This package has no sockets and
 * knows no request. What is shared by event loops is thread-safe.
 */
@NullMarked
package io.loligo.server.login;

import org.jspecify.annotations.NullMarked;
