/** Objects that this process is the origin of. */
package io.loligo.server.upstream.own;
