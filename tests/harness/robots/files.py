"""Model files of a user, by hand: each with features that a tree has no words for of its own."""

from __future__ import annotations

MULTI = """
<mujoco model="multi">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0.1 0.2 -9.7"/>
  <default>
    <joint damping="0.1" armature="0.02"/>
    <default class="foot"><geom type="sphere" size="0.02"/></default>
  </default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3">
      <freejoint name="free"/>
      <inertial pos="0.01 0.02 0.03" mass="3" fullinertia="0.03 0.05 0.06 0.002 -0.001 0.003"/>
      <body name="hip" pos="0.2 0.1 0" quat="0.9 0.1 0.2 0.3">
        <joint name="hx" axis="1 0 0" pos="0.01 0 0.02" ref="0.3" range="-1 1"/>
        <joint name="hy" axis="0 1 0.1" pos="0 0.03 0.02" ref="-0.2"/>
        <joint name="sl" type="slide" axis="0 0 1" ref="0.1"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2" mass="0.4"/>
        <frame pos="0 0 -0.2" euler="0 0.3 0">
          <body name="shank">
            <joint name="knee" axis="0 1 0" pos="0 0 0.01"/>
            <geom type="box" size="0.02 0.03 0.1" pos="0 0 -0.1" mass="0.2"/>
            <geom class="foot" pos="0 0 -0.2" mass="0.05"/>
          </body>
        </frame>
      </body>
      <replicate count="2" offset="0.1 0 0">
        <body name="r" pos="0 0.2 0">
          <joint name="rj" type="ball" armature="0" damping="0" pos="0.01 0.02 0"/>
          <geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0"/>
        </body>
      </replicate>
    </body>
    <body name="post" pos="1 0 0"><geom type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
  <equality><joint joint1="hx" joint2="hy"/></equality>
  <actuator><motor name="m" joint="knee" gear="5" armature="0.001" ctrlrange="-3 3" ctrllimited="true"/></actuator>
</mujoco>
"""

INERTIAL = (
    '<inertial><origin xyz="0.1 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial>'
)

URDF = f"""
<robot name="little">
  <link name="base">{INERTIAL}</link>
  <link name="b_arm">{INERTIAL}</link>
  <link name="a_arm">{INERTIAL}</link>
  <link name="tool">{INERTIAL}</link>
  <joint name="z_first" type="revolute">
    <origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><parent link="base"/><child link="b_arm"/><axis xyz="0 3 4"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/>
  </joint>
  <joint name="a_second" type="prismatic">
    <origin xyz="0.3 0 0"/><parent link="base"/><child link="a_arm"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/>
  </joint>
  <joint name="weld" type="fixed"><origin xyz="0 0 0.2" rpy="1 0 0"/><parent link="a_arm"/><child link="tool"/></joint>
</robot>
"""

PLANAR = f"""
<robot name="planar">
  <link name="world"/>
  <link name="base">{INERTIAL}</link>
  <link name="arm">{INERTIAL}</link>
  <joint name="floor" type="planar">
    <origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><parent link="world"/><child link="base"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0.3 0 0"/><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""

HEAVY = """
<mujoco model="heavy">
  <worldbody>
    <body pos="0 0 1">
      <joint type="free" armature="0.3" damping="1e11"/>
      <inertial pos="0.01 0.02 0.03" mass="3" diaginertia="0.03 0.05 0.06"/>
      <body pos="0.2 0 0">
        <joint type="ball" armature="0.07"/>
        <inertial pos="0.1 0 0.02" mass="0.5" diaginertia="0.003 0.005 0.004"/>
        <body pos="0.2 0 0">
          <joint axis="0 1 0" armature="0.02" damping="1e11"/>
          <inertial pos="0.1 0 0.02" mass="0.5" diaginertia="0.003 0.005 0.004"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
"""Armature on a free and on a ball joint, brakes of 1e11, and no names."""

LEG = """
<mujoco model="leg">
  <worldbody>
    <body name="thigh">
      <joint name="hip" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2"/>
      <body name="shank" pos="0 0 -0.2"><joint axis="0 1 0" armature="0.1"/><geom type="box" size="0.01 0.02 0.1"/></body>
    </body>
  </worldbody>
</mujoco>
"""

ATTACHING = """
<mujoco model="attaching">
  <asset><model name="leg" file="leg.xml"/></asset>
  <worldbody>
    <body name="base">
      <freejoint/>
      <geom type="box" size="0.2 0.1 0.05"/>
      <frame pos="0.2 0 0"><attach model="leg" body="thigh" prefix="front_"/></frame>
      <frame pos="-0.2 0 0" euler="0 0 180"><attach model="leg" body="thigh" prefix="hind_"/></frame>
    </body>
  </worldbody>
</mujoco>
"""
"""Attaches LEG, as `leg.xml` beside it, twice."""

TENDON = """
<mujoco model="tendon">
  <worldbody>
    <site name="a" pos="0 0 1"/>
    <body name="upper">
      <joint name="hx" axis="1 0 0" armature="0.1"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2" mass="0.4"/>
      <body name="lower" pos="0 0 -0.2">
        <joint name="hy" axis="0 1 0"/>
        <geom type="box" size="0.02 0.03 0.1" pos="0 0 -0.1" mass="0.2"/>
        <site name="b"/>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="t" armature="0.5"><joint joint="hx" coef="2"/></fixed></tendon>
</mujoco>
"""

QUATERNIONS = (
    URDF.replace("<robot ", '<robot version="1.1" ')
    .replace('rpy="0.3 0.2 0.1"', 'quat_xyzw="0.2 -0.4 0.4 0.8"')
    .replace('rpy="0.1 0.2 0.3"', 'quat_xyzw="0.1 0.1 0.7 0.7"', 1)
)
