/**
 * What a service manager is told: the protocol of sd_notify(3). {@code boot} uses it; it uses no
 * other package of the proxy.
 */
@NullMarked
package io.loligo.server.systemd;

import org.jspecify.annotations.NullMarked;
