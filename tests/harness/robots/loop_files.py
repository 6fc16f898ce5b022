"""Robots of closed loops as their MJCF files: every kind of constraint, and planar loops whose rows depend on each other."""

INERTIAL = '<inertial pos="0.01 0.02 -0.1" mass="1.2" diaginertia="0.01 0.012 0.013"/>'

EVERY_KIND = f"""
<mujoco model="loops">
  <option gravity="0.3 0 -9.81"/>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint/><inertial pos="0.01 0.02 0.03" mass="3" diaginertia="0.1 0.12 0.13"/>
      <body name="a" pos="0.1 0 0">
        <joint name="ja" axis="0 1 0" pos="0.01 0 0.02"/>{INERTIAL}
        <body name="b" pos="0 0.02 -0.2" euler="10 20 30">
          <joint name="jb" type="ball"/>{INERTIAL}<site name="s1" pos="0.01 0.02 0.03" euler="30 20 10"/>
        </body>
      </body>
      <body name="c" pos="-0.1 0 0">
        <joint name="jc" axis="0 1 0" ref="20"/>{INERTIAL}
        <body name="d" pos="0 0 -0.2">
          <joint name="jd" axis="0 1 0"/><joint name="jd2" axis="1 0 0"/>{INERTIAL}
          <site name="s2" pos="0.01 -0.02 0.03" euler="50 20 10"/>
        </body>
      </body>
      <body name="e" pos="0 0.2 0">
        <joint name="je" axis="0 1 1"/>{INERTIAL}
        <body name="f" pos="0 0 -0.2"><joint name="jf" axis="0 1 0"/><joint name="jf2" axis="1 0 0"/>{INERTIAL}</body>
      </body>
    </body>
  </worldbody>
  <equality>
    <weld name="weld" body1="b" body2="e" anchor="0.1 0.2 0.3" torquescale="2.5"/>
    <connect name="sites" site1="s1" site2="s2"/>
    <joint name="cam" joint1="jf" joint2="jc" polycoef="0.1 0.5 0.3 0.2 0.7"/>
    <connect name="world" body1="d" anchor="0.1 0 0.1"/>
    <weld name="asleep" body1="a" body2="c" active="false"/>
  </equality>
</mujoco>
"""

BAR = '<inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.002 0.0021 0.0002"/>'


def four_bar(tie: str, base: str = "<freejoint/>", tilt: str = "0 0 0") -> str:
    """A planar loop: two bars on a base, a rod on the first, and `tie` from the rod's end to the end of the second bar."""
    return f"""
<mujoco model="four_bar">
  <worldbody>
    <body name="base" euler="{tilt}">{base}<inertial pos="0 0 0" mass="2" diaginertia="0.02 0.02 0.02"/>
      <body name="left"><joint name="left" axis="0 1 0"/>{BAR}
        <body name="rod" pos="0 0 -0.2" euler="0 -90 0"><joint name="rod" axis="0 1 0"/>{BAR}</body>
      </body>
      <body name="right" pos="0.2 0 0"><joint name="right" axis="0 1 0"/>{BAR}</body>
    </body>
  </worldbody>
  <equality>{tie}</equality>
</mujoco>
"""


CONNECT = '<connect name="tie" body1="rod" body2="right" anchor="0 0 -0.2"/>'
WELD = '<weld name="tie" body1="rod" body2="right" anchor="0 0 -0.2"/>'
